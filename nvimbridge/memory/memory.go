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

// maxCalls is how many calls may wait for their turn.
const maxCalls = 1024

// Config is what an Editor needs; all of it must be set.
type Config struct {
	// Post runs a function on the loop goroutine, later.
	Post func(func()) bool
	// Finish gets the outcome of each call, on the loop goroutine.
	Finish func(token uint64, o mcp.Outcome)
	// Folder is the absolute path of the folder the editor is in.
	Folder string
}

// Editor is the stand-in. Loop goroutine only; openFile reads one file there.
type Editor struct {
	cfg    Config
	files  []string // the open ones, absolute, in the order they were opened
	queued map[uint64]bool
}

var _ mcp.Editor = (*Editor)(nil)

// New returns an editor with no file open.
func New(cfg Config) *Editor {
	return &Editor{cfg: cfg, queued: make(map[uint64]bool)}
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
	run := func() mcp.Outcome { return e.run(c) }
	if len(e.queued) >= maxCalls {
		run = func() mcp.Outcome { return failed(mcp.ToolError("editor is busy")) }
	}
	e.queued[c.Token] = true
	e.cfg.Post(func() {
		if e.queued[c.Token] {
			delete(e.queued, c.Token)
			e.cfg.Finish(c.Token, run())
		}
	})
}

// Cancel forgets a call that has not run.
func (e *Editor) Cancel(token uint64) { delete(e.queued, token) }

func (e *Editor) run(c mcp.Call) mcp.Outcome {
	for _, t := range tools {
		if t.name == c.Tool {
			return t.run(e, c.Args)
		}
	}
	return failed(mcp.ToolError("no such tool: " + c.Tool))
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
