// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"slices"
	"testing"
)

func TestReady_HearsOfEachClientOnceItsToolsAreListed(t *testing.T) {
	t.Parallel()
	w := ideWorld(t)
	var heard []uint64
	w.server.ready = func(client uint64) { heard = append(heard, client) }
	for range 2 {
		w.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	}
	if len(heard) != 1 {
		t.Errorf("heard %v", heard)
	}
	w.server.Open(99)
	w.server.Message(99, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if !slices.Contains(heard, 99) || len(heard) != 2 {
		t.Errorf("heard %v", heard)
	}
}
