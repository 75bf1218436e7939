// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"io"
	"sync"
	"time"
)

// endMessage is the notification [2, "end", []] in MessagePack.
const endMessage = "\x93\x02\xa3end\x90"

// endWait bounds how long the end of the channel waits for what was read before it.
// It is reached if the channel broke in the middle of a message.
const endWait = 100 * time.Millisecond

// ending is a stream that says its end in its own words: after the last byte comes
// endMessage. The library runs notifications beside the reading, so that without it
// the end of a Neovim overtakes what it said last.
type ending struct {
	r    io.Reader
	rest string
	err  error // of r, once it ended

	once sync.Once
	seen chan struct{} // closed by reached
}

func newEnding(r io.Reader) *ending { return &ending{r: r, seen: make(chan struct{})} }

// Read reads the stream, then endMessage, then the stream's error.
func (e *ending) Read(p []byte) (int, error) {
	if e.err == nil {
		n, err := e.r.Read(p)
		if err != nil {
			e.err, e.rest = err, endMessage
		}
		if n > 0 || err == nil {
			return n, nil
		}
	}
	if e.rest == "" {
		return 0, e.err
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// reached is the handler of endMessage.
func (e *ending) reached(...*message) { e.once.Do(func() { close(e.seen) }) }

// wait returns once everything before the end was run, or false if that does not come.
func (e *ending) wait(quit <-chan struct{}) bool {
	select {
	case <-e.seen:
		return true
	case <-quit:
	case <-time.After(endWait):
	}
	return false
}
