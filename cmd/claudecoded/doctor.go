// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"claudecoded/nvimbridge/lockfile"
)

const (
	// sessionTimeout bounds what never waits for the editor.
	sessionTimeout = 5 * time.Second
	// toolTimeoutOfDoctor is how long a tool that only looks may take.
	toolTimeoutOfDoctor = 5 * time.Second
)

type doctorCommand struct {
	choiceFlags
}

// errBroken ends doctor; what is broken was printed.
var errBroken = errors.New("the chain is broken")

// Run tries the way of a call from a client to a tool and back, link by link.
func (c *doctorCommand) Run() error {
	found, unread := lockfile.Find(lockfile.Places(os.Getenv)...)
	wanted, err := c.choice().wanted()
	if err != nil {
		return err
	}
	x := examination{out: os.Stdout}
	if unread != nil {
		x.note("lock files", unread.Error())
	}
	return x.run(context.Background(), wanted, found)
}

// examination prints one line for each link that it tries.
type examination struct {
	out    io.Writer
	prober prober
	tool   string // that is called
}

func (x *examination) say(mark, link, what string) {
	fmt.Fprintf(x.out, "%-6s %-8s %s\n", mark, link, what)
}

func (x *examination) note(link, what string) { x.say("note", link, what) }

// link is one part of the way: what it found or, as the error, what is wrong and what to do.
type link struct {
	name string
	try  func(context.Context) (string, error)
}

func (x *examination) run(ctx context.Context, wanted lockfile.Wanted, found []lockfile.Found) error {
	links := []link{
		{"lock", func(context.Context) (string, error) { return x.choose(wanted, found) }},
		{"port", x.port},
		{"session", x.session},
		{"tools", x.tools},
		{"call", x.call},
	}
	defer func() {
		ctx, cancel := context.WithTimeout(ctx, sessionTimeout)
		defer cancel()
		x.prober.close(ctx)
	}()
	for _, l := range links {
		what, err := l.try(ctx)
		if err != nil {
			x.say("BROKEN", l.name, err.Error())
			return errBroken
		}
		x.say("ok", l.name, what)
	}
	return nil
}

// choose finds the lock file of a living editor.
func (x *examination) choose(wanted lockfile.Wanted, found []lockfile.Found) (string, error) {
	editor, err := wanted.Choose(found)
	if err == nil {
		x.prober.editor = editor
		return fmt.Sprintf("Neovim is process %d, its server has port %d (%s)", editor.PID, editor.Port, editor.Path), nil
	}
	for _, f := range found {
		if f.Dead {
			x.note("lock", fmt.Sprintf("%s is left from process %d, which has ended", f.Path, f.PID))
		} else {
			x.note("lock", fmt.Sprintf("process %d has port %d, for %s", f.PID, f.Port, strings.Join(f.WorkspaceFolders, " ")))
		}
	}
	return "", err
}

func (x *examination) port(ctx context.Context) (string, error) {
	h, err := x.prober.health(ctx)
	if err != nil {
		return "", fmt.Errorf("port %d: %w; run :ClaudeCodeStop, :lua require(\"mcp-tools\").stop() and :ClaudeCodeStart in that Neovim", x.prober.editor.Port, err)
	}
	return fmt.Sprintf("%s %s answers; the editor is %s", h.Server.Name, h.Server.Version, h.Editor), nil
}

func (x *examination) session(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, sessionTimeout)
	defer cancel()
	if err := x.prober.open(ctx); err != nil {
		return "", fmt.Errorf("%w; run :ClaudeCodeStop, :lua require(\"mcp-tools\").stop() and :ClaudeCodeStart in that Neovim", err)
	}
	return "the token is right, and the server speaks MCP " + probeRevision, nil
}

// harmless are tools that only look, and need no arguments.
var harmless = []string{"nvim_getWorkspaceFolders", "nvim_getOpenEditors", "nvim_getCurrentSelection"}

func (x *examination) tools(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, sessionTimeout)
	defer cancel()
	var listing struct{ Tools []probedTool }
	if err := x.prober.ask(ctx, "tools/list", "{}", &listing); err != nil {
		return "", fmt.Errorf("the server lists no tools: %w", err)
	}
	if len(listing.Tools) == 0 {
		return "", errors.New("the editor has registered no tools; see :checkhealth claudecode")
	}
	for _, t := range listing.Tools {
		if x.tool == "" && t.looks() {
			x.tool = t.Name
		}
	}
	return fmt.Sprintf("%d tools", len(listing.Tools)), nil
}

type probedTool struct {
	Name        string
	InputSchema struct{ Required []string }
	Annotations struct{ ReadOnlyHint bool }
}

// looks reports whether a call without arguments does nothing but look.
func (t probedTool) looks() bool {
	return len(t.InputSchema.Required) == 0 && (t.Annotations.ReadOnlyHint || slices.Contains(harmless, t.Name))
}

// call runs a tool. An editor that does not answer in time is asked for through the server,
// which knows why.
func (x *examination) call(ctx context.Context) (string, error) {
	if x.tool == "" {
		return "not tried: no tool is known to do nothing but look", nil
	}
	limited, cancel := context.WithTimeout(ctx, toolTimeoutOfDoctor)
	defer cancel()
	var result struct {
		IsError bool
		Content []json.RawMessage
	}
	began := time.Now()
	err := x.prober.ask(limited, "tools/call", `{"name":"`+x.tool+`","arguments":{}}`, &result)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		late := fmt.Sprintf("%s did not answer within %v", x.tool, toolTimeoutOfDoctor)
		h, err := x.prober.health(ctx)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s, and now %w", late, err)
		case h.Editor == "ready":
			return "", fmt.Errorf("%s although the editor is ready: perhaps it asks you for permission, see :ClaudeCodeActivity", late)
		}
		return "", fmt.Errorf("Neovim is blocked: %s, the editor is %s", late, h.Editor)
	case err != nil:
		return "", fmt.Errorf("%s: %w", x.tool, err)
	case result.IsError:
		return "", fmt.Errorf("%s answered with an error", x.tool)
	}
	return fmt.Sprintf("%s answered in %v", x.tool, time.Since(began).Round(time.Millisecond)), nil
}
