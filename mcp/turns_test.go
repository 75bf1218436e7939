// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// listener is a Turns that writes down what it is told.
type listener struct {
	heard []string
	done  []func()
	// prompt calls done at once.
	prompt bool
}

func (l *listener) note(done func(), format string, args ...any) {
	l.heard = append(l.heard, fmt.Sprintf(format, args...))
	l.done = append(l.done, done)
	if l.prompt {
		done()
	}
}

func (l *listener) Began(client uint64, name string) {
	l.heard = append(l.heard, fmt.Sprintf("began %d %q", client, name))
}
func (l *listener) Announced(client uint64, name, uri string, done func()) {
	l.note(done, "announced %d %q %q", client, name, uri)
}
func (l *listener) Sampled(client uint64, done func()) { l.note(done, "sampled %d", client) }
func (l *listener) Left(client uint64)                 { l.heard = append(l.heard, fmt.Sprintf("left %d", client)) }

// turnsWorld is a world with a listener and the tools by which clients tell of files.
func turnsWorld(t testing.TB) (*world, *listener) {
	w := ideWorld(t, ideTool("closeAllDiffTabs"), ideTool("getDiagnostics"), ideTool("openFile"))
	l := &listener{}
	w.server.turns = l
	return w, l
}

const ofFile = `{"uri":"file:///a b"}`

func TestTurns_HearOfPromptsFilesAndLeaving(t *testing.T) {
	t.Parallel()
	w, l := turnsWorld(t)
	w.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"Claude","version":"1"}}}`)
	w.callTool("1", "closeAllDiffTabs", `{}`)
	w.callTool("2", "getDiagnostics", `{"uri":"file:///a \u00e9%20\""}`)
	w.callTool("3", "getDiagnostics", `{}`)
	w.callTool("4", "getDiagnostics", `{"uri":null}`)
	w.callTool("5", "getDiagnostics", `{"uri":5}`) // no file, and not all
	w.callTool("6", "openFile", `{"uri":"file:///x"}`)
	w.server.Closed(1, 1000, "")
	want := `began 1 "Claude"; announced 1 "Claude" "file:///a é%20\""; sampled 1; sampled 1; left 1`
	if got := strings.Join(l.heard, "; "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTurns_HearNothingOfOtherClients(t *testing.T) {
	t.Parallel()
	w, l := turnsWorld(t)
	session := w.begin("2025-06-18")
	w.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_closeAllDiffTabs","arguments":{}}}`)
	if len(w.open) != 1 || len(l.heard) > 0 {
		t.Errorf("%v, %q", w.open, l.heard)
	}
}

func TestHold_AnswersOnceBothAreDone(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"the editor", "the files", "at once"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			w, l := turnsWorld(t)
			l.prompt = first == "at once"
			c := w.callTool("7", "getDiagnostics", ofFile)
			got := ""
			if first == "the editor" {
				if got = w.finish(c.Token, Outcome{Result: []byte(`"[]"`)}); got != "" {
					t.Errorf("answered %s before the bytes were known", got)
				}
				n := len(w.sent[1])
				l.done[0]()
				got = w.since(n)
			} else {
				l.done[0]()
				got = w.finish(c.Token, Outcome{Result: []byte(`"[]"`)})
			}
			if want := `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"[]"}]}}`; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			l.done[0]()
			if len(w.server.calls) != 0 || len(w.clock.timers) != 0 || w.since(1) != "" {
				t.Error("something is left of the call")
			}
		})
	}
}

func TestHold_EndsInTimeForTheClient(t *testing.T) {
	t.Parallel()
	for arguments, row := range map[string]struct{ most, wait time.Duration }{
		ofFile: {holdAnnounced, 500 * time.Millisecond},
		`{}`:   {holdSampled, 2 * time.Second},
	} {
		w, l := turnsWorld(t)
		c := w.callTool("7", "getDiagnostics", arguments)
		w.finish(c.Token, Outcome{Result: []byte(`"[]"`)})
		w.clock.advance(row.most - 1)
		if n := len(w.sent[1]); n != 0 {
			t.Errorf("%s: %d answers before the bound", arguments, n)
		}
		w.clock.advance(1)
		if row.most >= row.wait || !strings.Contains(w.since(0), `"text":"[]"`) {
			t.Errorf("%s: %s at the bound", arguments, w.since(0))
		}
		l.done[0]() // too late
		if len(w.sent[1]) != 1 || len(w.clock.timers) != 0 {
			t.Errorf("%s: %q", arguments, w.sent[1])
		}
	}
}

func TestHold_DoesNotOutliveTheEditorsDeadline(t *testing.T) {
	t.Parallel()
	w, l := turnsWorld(t)
	w.callTool("7", "getDiagnostics", ofFile) // which a blocked editor never answers
	w.clock.advance(diagnosticsOfFile)
	if got := w.since(0); !strings.Contains(got, "no answer within 400ms") {
		t.Errorf("answered %q", got)
	}
	l.done[0]()
	if len(w.sent[1]) != 1 || len(w.clock.timers) != 0 || len(w.server.calls) != 0 {
		t.Errorf("%q", w.sent[1])
	}
}

func TestHold_EndsWithWhatEndsTheCall(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		do            func(w *world)
		want, outcome string
	}{
		"cancelled": {func(w *world) { w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`) }, "", "cancelled"},
		"gone":      {func(w *world) { w.server.Closed(1, 1006, "") }, "", "gone"},
		"stop":      {func(w *world) { w.server.Stop() }, `"message":`, "stopped"},
		"stop, after the editor answered": {func(w *world) {
			w.finish(w.open[0].Token, Outcome{Result: []byte(`"[1]"`)})
			w.server.Stop()
		}, `"text":"[1]"`, "ok"},
		"gone, after the editor answered": {func(w *world) {
			w.finish(w.open[0].Token, Outcome{Result: []byte(`"[1]"`)})
			w.server.Closed(1, 1006, "")
		}, "", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, l := turnsWorld(t)
			w.callTool("7", "getDiagnostics", ofFile)
			row.do(w)
			got := w.since(0)
			if !strings.Contains(got, row.want) || (got == "") != (row.want == "") {
				t.Errorf("answered %q, want %q", got, row.want)
			}
			_, past, _ := w.server.Activity()
			if past[0].Outcome != row.outcome {
				t.Errorf("noted as %s, want %s", past[0].Outcome, row.outcome)
			}
			n := len(w.sent[1])
			if len(w.clock.timers) != 0 {
				t.Error("a timer is left of the call")
			}
			l.done[0]()
			w.clock.advance(time.Hour)
			if len(w.sent[1]) != n || len(w.server.calls) != 0 || len(w.clock.timers) != 0 {
				t.Error("something is left of the call")
			}
		})
	}
}

func TestHold_ComesBeforePolicyAndEndsADeniedCallToo(t *testing.T) {
	t.Parallel()
	w, l := turnsWorld(t)
	w.server.SetPolicy(NewPolicy([]Rule{{Tool: "getDiagnostics", Action: Deny, Label: "R"}}))
	w.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"getDiagnostics","arguments":` + ofFile + `}}`)
	if len(l.heard) != 1 || len(w.sent[1]) != 0 {
		t.Fatalf("%q, %q", l.heard, w.sent[1])
	}
	l.done[0]()
	if got := w.since(0); !strings.Contains(got, "denied by R") {
		t.Error(got)
	}
}

// TestTurns_HearOfNoURIThatIsTooLong has one at the bound, and one beyond it.
func TestTurns_HearOfNoURIThatIsTooLong(t *testing.T) {
	t.Parallel()
	w, l := turnsWorld(t)
	for i, length := range []int{maxURI, maxURI + 1} {
		uri := strings.Repeat("x", length-len(`""`)) // the bound is one of JSON text
		w.callTool(fmt.Sprint(i), "getDiagnostics", `{"uri":"`+uri+`"}`)
	}
	if len(l.heard) != 1 {
		t.Errorf("it heard of %d", len(l.heard))
	}
}
