// Copyright (c) 2026 the claudecoded authors. MIT license.

package rig

import (
	"encoding/json"
	"strings"

	"claudecoded/mcp"
	"claudecoded/nvimbridge/memory"
)

// Editor is the stand-in, and two tools more: openDiff is never answered, as by a user who
// went to lunch; repeat answers with as many bytes as it is asked for.
type Editor struct {
	*memory.Editor
	d    *Daemon
	open map[uint64]bool
	// Cancelled counts the calls that the protocol cancelled.
	Cancelled int
}

var _ mcp.Editor = (*Editor)(nil)

// Open is how many diffs wait for the user. On the loop.
func (e *Editor) Open() int { return len(e.open) }

// Catalogue lists the tools.
func (e *Editor) Catalogue() []mcp.Tool {
	schema := []byte(`{"type":"object","properties":{}}`)
	return append(e.Editor.Catalogue(),
		mcp.Tool{Name: "openDiff", InputSchema: schema, IDE: true, UI: true},
		mcp.Tool{Name: "repeat", InputSchema: schema, IDE: true})
}

// Call starts a tool.
func (e *Editor) Call(c mcp.Call) {
	switch c.Tool {
	case "openDiff":
		e.open[c.Token] = true
	case "repeat":
		e.d.Loop.Post(func() { e.d.Protocol.Finish(c.Token, repeat(c.Args)) })
	default:
		e.Editor.Call(c)
	}
}

// Cancel forgets a call.
func (e *Editor) Cancel(token uint64) {
	e.Cancelled++
	delete(e.open, token)
	e.Editor.Cancel(token)
}

// Repeated is the text that repeat answers with.
func Repeated(n int) string { return strings.Repeat("r", n) }

func repeat(args []byte) mcp.Outcome {
	var a struct{ N int }
	if err := json.Unmarshal(args, &a); err != nil || a.N < 0 {
		return mcp.Outcome{Err: mcp.ToolError("n must be a number of bytes")}
	}
	return mcp.Outcome{Result: []byte(`{"content":[{"type":"text","text":"` + Repeated(a.N) + `"}]}`)}
}
