// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"runtime/debug"
	"time"

	"claudecoded/reactor"
)

const (
	// largeMessage is the size in bytes from which a message's memory is given back
	// to the system soon. The runtime by itself takes minutes.
	largeMessage = 8 << 20
	// tidyAfter is how long no large message has come by then.
	tidyAfter = 3 * time.Second
)

// tidier gives back the memory of large messages once no more of them come. It belongs
// to the loop goroutine.
type tidier struct {
	loop  reactor.Loop
	timer *reactor.Timer
	free  func()
}

func newTidier(loop reactor.Loop) *tidier { return &tidier{loop: loop, free: freeMemory} }

// freeMemory does not wait: it takes milliseconds.
func freeMemory() { go debug.FreeOSMemory() }

// received notes a message of so many bytes.
func (t *tidier) received(size int) {
	if size < largeMessage {
		return
	}
	if t.timer != nil {
		t.timer.Stop()
	}
	t.timer = t.loop.AfterFunc(tidyAfter, t.free)
}
