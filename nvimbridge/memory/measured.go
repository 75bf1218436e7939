// Copyright (c) 2026 the claudecoded authors. MIT license.

package memory

import (
	"encoding/json"
	"fmt"
	"runtime"

	"claudecoded/mcp"
)

// maxMentions bounds how many notifications one call sends.
const maxMentions = 1000

// mention is one of them.
const mention = `{"filePath":"/home/user/project/internal/server/handler.go","lineStart":40,"lineEnd":52}`

// mentionMany tells every client of a mention so many times, all in one turn of the loop.
func (e *Editor) mentionMany(args []byte) mcp.Outcome {
	var a struct{ Times int }
	if json.Unmarshal(args, &a) != nil || a.Times < 1 || a.Times > maxMentions {
		return invalid(fmt.Sprintf("times must be a number from 1 to %d", maxMentions))
	}
	if e.cfg.Broadcast == nil {
		return failed(mcp.ToolError("nobody can be told"))
	}
	for range a.Times {
		e.cfg.Broadcast("at_mentioned", []byte(mention))
	}
	return plain("done")
}

// usage tells how many bytes of the heap are in use once the garbage is collected, and how
// many goroutines there are, its own included.
func (e *Editor) usage(_ []byte, done func(mcp.Outcome)) {
	go func() {
		e.reads <- struct{}{}
		// What a pool holds outlives one collection.
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		outcome := object(struct {
			Heap       uint64 `json:"heap"`
			Goroutines int    `json:"goroutines"`
		}{m.HeapAlloc, runtime.NumGoroutine()})
		<-e.reads
		e.cfg.Post(func() { done(outcome) })
	}()
}
