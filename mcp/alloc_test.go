// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !race

package mcp

import (
	"fmt"
	"testing"
)

// sinkOfNothing takes payloads and forgets them.
type sinkOfNothing struct{ bytes int }

func (s *sinkOfNothing) Send(_ uint64, payload []byte) bool { s.bytes += len(payload); return true }
func (s *sinkOfNothing) Give(_ uint64, payload []byte) bool { s.bytes += len(payload); return true }
func (s *sinkOfNothing) Broadcast(payload []byte, _ func(int)) bool {
	s.bytes += len(payload)
	return true
}

func (s *sinkOfNothing) BroadcastLatest(payload []byte, written func(int)) bool {
	return s.Broadcast(payload, written)
}

// requests are answered by the daemon alone.
var requests = []string{
	`{"method":"ping","jsonrpc":"2.0","id":12345}`,
	`{"method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {"roots": {"listChanged": true}}, "clientInfo": {"name": "claude-code", "version": "2.1.332"}}, "jsonrpc": "2.0", "id": 0}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","method":"ide_connected","params":{"pid":15700}}`,
	`{"method":"prompts/list","jsonrpc":"2.0","id":"a"}`,
	`{"method":"tools/list","jsonrpc":"2.0","id":1}`,
	`{"jsonrpc":"2.0","id":1,"result":{}}`,
	`{"jsonrpc":"1.0","id":1,"method":"ping"}`,
}

func quietServer(sink Sink) *Server {
	s := New(Config{Sink: sink, Version: "1"})
	var tools []Tool
	for i := range 10 {
		tools = append(tools, ideTool(fmt.Sprint("tool", i)))
	}
	s.SetCatalogue(tools)
	s.Open(1)
	return s
}

func TestMessage_AnsweredByTheDaemonAllocatesNothing(t *testing.T) {
	for _, request := range requests {
		s := quietServer(&sinkOfNothing{})
		text := []byte(request)
		if n := testing.AllocsPerRun(100, func() { s.Message(1, text) }); n != 0 {
			t.Errorf("%s: %v allocations", request, n)
		}
	}
}

func BenchmarkMessage(b *testing.B) {
	for _, request := range requests[:2] {
		b.Run(request[:20], func(b *testing.B) {
			s := quietServer(&sinkOfNothing{})
			text := []byte(request)
			b.ReportAllocs()
			for b.Loop() {
				s.Message(1, text)
			}
		})
	}
}

// editorOfNothing takes calls and forgets them.
type editorOfNothing struct{}

func (editorOfNothing) Call(Call)     {}
func (editorOfNothing) Cancel(uint64) {}

// TestSubmit_WithoutRulesAllocatesNothing compares a call that policy lets through with
// one that is handed over directly.
func TestSubmit_WithoutRulesAllocatesNothing(t *testing.T) {
	s := New(Config{Sink: &sinkOfNothing{}, Editor: editorOfNothing{}, Clock: &manualClock{}, Version: "1"})
	s.Open(1)
	tool := &Tool{Name: "a"}
	measure := func(hand func(c *call)) float64 {
		return testing.AllocsPerRun(200, func() {
			c := &call{client: s.clients[1], of: tool, tool: "a", wait: never}
			s.enter(c, tool)
			hand(c)
			s.Finish(c.token, Outcome{Result: emptyObject})
		})
	}
	direct := measure(func(c *call) { s.begin(c, tool, nil) })
	if through := measure(func(c *call) { s.submit(c, tool, nil) }); through != direct {
		t.Errorf("%v allocations, and %v without policy", through, direct)
	}
}
