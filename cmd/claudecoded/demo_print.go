// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"claudecoded/bench/claude"
)

// detailWidth is how many characters of a message are shown.
const detailWidth = 96

// transcript prints a conversation: who says what, a heading above each part.
type transcript struct {
	mu     sync.Mutex
	out    io.Writer
	editor string
	dir    string
	parts  int
	// asked names the requests that are not answered yet, by id.
	asked map[string]string
}

// newTranscript prints to out. dir is shown as "…" wherever it occurs.
func newTranscript(out io.Writer, editor, dir string) *transcript {
	return &transcript{out: out, editor: editor, dir: dir, asked: map[string]string{}}
}

func (t *transcript) heading(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parts++
	fmt.Fprintf(t.out, "\n%d. %s\n", t.parts, fmt.Sprintf(format, args...))
}

// found prints what a step brought, once it was checked.
func (t *transcript) found(what string) { t.say("", "✓", what) }

// say prints one line, shortened.
func (t *transcript) say(who, arrow, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line(who, arrow, what)
}

func (t *transcript) line(who, arrow, what string) {
	// Some Neovims escape the slashes of JSON text.
	what = strings.ReplaceAll(strings.ReplaceAll(what, `\/`, "/"), t.dir, "…")
	what = strings.Join(strings.Fields(what), " ")
	if utf8.RuneCountInString(what) > detailWidth {
		what = string([]rune(what)[:detailWidth-1]) + "…"
	}
	fmt.Fprintf(t.out, "   %-9s%-2s %s\n", who, arrow, what)
}

// event prints one message of the wire.
func (t *transcript) event(e claude.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
		Result json.RawMessage
		Error  *claude.RPCError
	}
	// What is not JSON is shown as it is; the client reports it.
	if err := json.Unmarshal(e.Message, &m); err != nil {
		m.Method = string(e.Message)
	}
	who := "Claude"
	if e.FromServer {
		who = t.editor
	}
	if m.Method != "" {
		what := describeCall(m.Method, m.Params)
		if m.ID != nil && !e.FromServer {
			t.asked[string(m.ID)], _, _ = strings.Cut(what, " ")
		}
		t.line(who, "→", what)
		return
	}
	asked := t.asked[string(m.ID)]
	delete(t.asked, string(m.ID))
	t.line(who, "→", asked+": "+describeAnswer(m.Result, m.Error))
}

// describeCall names what is asked: a tool by its own name, anything else by its method.
func describeCall(method string, params json.RawMessage) string {
	var p struct {
		Name            string
		Arguments       json.RawMessage
		ProtocolVersion string
		ClientInfo      struct{ Name, Version string }
	}
	// Parameters of another shape are shown as they are.
	_ = json.Unmarshal(params, &p)
	switch method {
	case "tools/call":
		return p.Name + " " + string(p.Arguments)
	case "initialize":
		return fmt.Sprintf("initialize as %s %s, protocol %s", p.ClientInfo.Name, p.ClientInfo.Version, p.ProtocolVersion)
	}
	return method + " " + string(params)
}

// describeAnswer shows what matters of the results the demo asks for.
func describeAnswer(result json.RawMessage, failed *claude.RPCError) string {
	if failed != nil {
		return "error: " + failed.Error()
	}
	var r struct {
		claude.Result
		claude.Initialized
		Tools []claude.Tool
	}
	_ = json.Unmarshal(result, &r)
	switch {
	case len(r.Content) > 0:
		texts := make([]string, len(r.Content))
		for i, item := range r.Content {
			texts[i] = item.Text
		}
		return strings.Join(texts, " | ")
	case r.Tools != nil:
		names := make([]string, len(r.Tools))
		for i, tool := range r.Tools {
			names[i] = tool.Name
		}
		return fmt.Sprintf("%d tools: %s", len(names), strings.Join(names, ", "))
	case r.ProtocolVersion != "":
		return fmt.Sprintf("%s %s, protocol %s", r.ServerInfo.Name, r.ServerInfo.Version, r.ProtocolVersion)
	}
	return string(result)
}
