// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package memory is an editor that is none: it answers a few tools over a real
// folder, in the shapes in which Neovim answers them. The demo, benchmarks and
// tests use it where no Neovim is wanted.
package memory

import (
	"os"
	"path/filepath"
	"strings"

	"claudecoded/mcp"
)

const (
	// maxCalls is how many calls may wait for their turn or for a file.
	maxCalls = 1024
	// maxReads is how many files are read at the same time.
	maxReads = 4
)

// Config is what an Editor needs; all of it must be set but Broadcast.
type Config struct {
	// Post runs a function on the loop goroutine, later; it may be called from any.
	Post func(func()) bool
	// Finish gets the outcome of each call, on the loop goroutine.
	Finish func(token uint64, o mcp.Outcome)
	// Broadcast sends a notification to every client, on the loop goroutine. Without it
	// mentionMany fails.
	Broadcast func(method string, params []byte)
	// Folder is the absolute path of the folder the editor is in.
	Folder string
}

// Editor is the stand-in. Loop goroutine only; files are read on others.
type Editor struct {
	cfg   Config
	files []string        // the open ones, absolute, in the order they were opened
	calls map[uint64]bool // those that have not ended, and whether they are waited for
	reads chan struct{}   // holds one for each file that is being read
}

var _ mcp.Editor = (*Editor)(nil)

// New returns an editor with no file open.
func New(cfg Config) *Editor {
	return &Editor{cfg: cfg, calls: make(map[uint64]bool), reads: make(chan struct{}, maxReads)}
}

// Catalogue lists the tools.
func (e *Editor) Catalogue() []mcp.Tool {
	list := make([]mcp.Tool, 0, len(tools))
	for _, t := range tools {
		list = append(list, mcp.Tool{Name: t.name, Description: t.description, InputSchema: []byte(t.schema), IDE: true})
	}
	return list
}

// Call runs a tool once what runs now has returned.
func (e *Editor) Call(c mcp.Call) {
	run := e.runner(c.Tool)
	if len(e.calls) >= maxCalls {
		run = answer(failed(mcp.ToolError("editor is busy")))
	}
	e.calls[c.Token] = true
	e.cfg.Post(func() {
		if !e.calls[c.Token] {
			delete(e.calls, c.Token)
			return
		}
		run(e, c.Args, func(o mcp.Outcome) { e.end(c.Token, o) })
	})
}

// Cancel forgets a call. It counts against maxCalls until it ends.
func (e *Editor) Cancel(token uint64) {
	if e.calls[token] {
		e.calls[token] = false
	}
}

func (e *Editor) end(token uint64, o mcp.Outcome) {
	wanted := e.calls[token]
	delete(e.calls, token)
	if wanted {
		e.cfg.Finish(token, o)
	}
}

func (e *Editor) runner(name string) runner {
	for _, t := range tools {
		if t.name == name {
			return t.run
		}
	}
	return answer(failed(mcp.ToolError("no such tool: " + name)))
}

// absolute is where a path leads: a leading ~ is the home folder, and a relative
// one counts from the editor's folder.
func (e *Editor) absolute(path string) string {
	path = expandHome(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.cfg.Folder, path)
	}
	return filepath.Clean(path)
}

// expandHome replaces a leading ~ and nothing else: what else looks like a
// variable or a pattern is part of the name.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	return path
}
