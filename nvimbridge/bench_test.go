// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"context"
	"testing"

	"claudecoded/mcp"
	"claudecoded/test/nvimtest"
)

// done ends a benchmark's call.
type done struct {
	*fakeHost
	ended chan struct{}
}

func (d done) Finish(uint64, mcp.Outcome) { d.ended <- struct{}{} }

// BenchmarkCall is one tool call through the bridge into a real Neovim and back,
// next to the same Lua run directly.
func BenchmarkCall(b *testing.B) {
	binary := nvimtest.Versions(b)[0]
	v := nvimtest.Start(b, nvimtest.Options{Nvim: binary})
	if err := v.ExecLua(script, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			var answer any
			if err := v.ExecLua(handle, &answer, "call", 1, "echo", `{"a":1}`, object{"client": "client_1"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bridge", func(b *testing.B) {
		var addr string
		if err := v.Eval("v:servername", &addr); err != nil {
			b.Fatal(err)
		}
		h, cfg := newHost(b)
		bridge, err := Attach(context.Background(), cfg, addr)
		if err != nil {
			b.Fatal(err)
		}
		d := done{h, make(chan struct{}, 1)}
		bridge.Serve(d)
		defer bridge.Close()
		call := mcp.Call{Tool: "echo", Args: []byte(`{"a":1}`), Client: "client_1"}
		for b.Loop() {
			call.Token++
			c := call
			cfg.Post(func() { bridge.Call(c) })
			<-d.ended
		}
	})
}
