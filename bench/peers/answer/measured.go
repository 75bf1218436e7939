// Copyright (c) 2026 the claudecoded authors. MIT license.

package answer

import (
	"fmt"
	"runtime"

	"github.com/valyala/fastjson"
)

// Mention is what the program under test tells each client of a mention.
const Mention = `{"jsonrpc":"2.0","method":"at_mentioned","params":{"filePath":"/home/user/project/internal/server/handler.go","lineStart":40,"lineEnd":52}}`

// Broadcast tells each client of a mention; a peer that cannot leaves it as it is.
var Broadcast = func(text []byte) {}

// called is the result of a tool: of one of those by which the editor without an editor
// of the program under test is measured, or of any other.
func called(params *fastjson.Value) string {
	switch string(params.GetStringBytes("name")) {
	case "mentionMany":
		for range params.GetInt("arguments", "times") {
			Broadcast([]byte(Mention))
		}
		return `{"content":[{"type":"text","text":"done"}]}`
	case "usage":
		// What a pool holds outlives one collection.
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return fmt.Sprintf(`{"content":[{"type":"text","text":"{\"heap\":%d,\"goroutines\":%d}"}]}`,
			m.HeapAlloc, runtime.NumGoroutine())
	}
	return foldersResult
}
