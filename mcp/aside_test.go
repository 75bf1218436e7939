// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"slices"
	"strings"
	"testing"
)

// laterWorld is a world whose checks end when the test runs what they posted.
type laterWorld struct {
	*world
	posted chan func()
}

func later(t *testing.T, tools ...Tool) (w *laterWorld, session string) {
	w = &laterWorld{newWorld(t), make(chan func(), 16)}
	w.server.aside.post = func(f func()) bool { w.posted <- f; return true }
	w.server.ChangeCatalogue(tools, func([]Rejected) {})
	return w, w.begin("2025-11-25")
}

// check ends the check that runs.
func (w *laterWorld) check() { (<-w.posted)() }

var checkedTool = Tool{
	Name: "t", ResultLimit: -1,
	InputSchema:  []byte(`{"type":"object","properties":{"n":{"type":"integer","default":7}}}`),
	OutputSchema: []byte(`{"type":"object"}`),
}

// callOne has too many arguments to be checked at once.
var callOne = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_t","arguments":{"pad":"` + pad + `"}}}`

var pad = strings.Repeat("x", smallCheck)

func TestCheck_RunsAsideInOrder(t *testing.T) {
	t.Parallel()
	w, session := later(t, checkedTool)
	f := w.post(session, callOne)
	w.post(session, strings.Replace(callOne, `"id":1`, `"id":2`, 1))
	if len(w.open) != 0 {
		t.Fatal("the editor was asked before the arguments were checked")
	}
	w.check()
	w.check()
	if len(w.open) != 2 || string(w.open[0].Args) != `{"n":7,"pad":"`+pad+`"}` || w.open[0].Token > w.open[1].Token {
		t.Fatalf("open are %v", w.open)
	}
	w.finish(w.open[0].Token, Outcome{Result: []byte(`{"a":"` + pad + `"}`)})
	if f.over {
		t.Fatal("answered before the result was checked")
	}
	w.check()
	if !f.over || !strings.Contains(f.said[0], `"structuredContent":{"a":"x`) {
		t.Errorf("said %v", f.said)
	}
}

func TestCheck_OfLittleRunsAtOnceUnlessItWouldTakeLong(t *testing.T) {
	t.Parallel()
	branches := Tool{Name: "t", ResultLimit: -1, InputSchema: []byte(`{"type":"object","$defs":{"d0":{"type":"integer"},` + doubling(11) + `},` +
		`"properties":{"a":{"$ref":"#/$defs/d11"},"b":{"$ref":"#/$defs/d3"}}}`)}
	call := func(id, name string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"nvim_t","arguments":{"` + name + `":1}}}`
	}
	w, session := later(t, branches)
	w.post(session, call("1", "b"))
	if len(w.open) != 1 || len(w.posted) != 0 {
		t.Fatal("it was not checked at once")
	}
	w.post(session, call("2", "a"))
	w.post(session, call("3", "b")) // behind what came before
	if len(w.open) != 1 {
		t.Fatal("it was checked at once")
	}
	w.check()
	w.check()
	if len(w.open) != 3 {
		t.Errorf("%d are open", len(w.open))
	}
}

func TestCheck_ThatPanicsEndsItsCallAndNothingElse(t *testing.T) {
	t.Parallel()
	w, session := later(t, checkedTool)
	made := w.server.tools.find(&stateful, "nvim_t").made
	accepts, returns := made.accepts, made.returns
	broken := &acceptance{} // which has nothing to check with

	made.accepts = broken
	f := w.post(session, callOne)
	w.check()
	if !f.over || !strings.Contains(f.said[0], errChecker.Error()) {
		t.Errorf("said %v", f.said)
	}
	made.accepts, made.returns = accepts, broken
	f = w.post(session, callOne)
	w.check()
	w.finish(w.open[0].Token, Outcome{Result: []byte(`{"a":"` + pad + `"}`)})
	w.check()
	if !f.over || !strings.Contains(f.said[0], errChecker.Error()) {
		t.Errorf("said %v", f.said)
	}
	made.returns = returns
	w.post(session, callOne)
	if w.check(); len(w.open) != 1 {
		t.Error("no more calls are served")
	}
}

func TestCheck_OfACallThatEndedMeanwhileIsForNothing(t *testing.T) {
	t.Parallel()
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	w, session := later(t, checkedTool)
	w.post(session, callOne)
	w.post(session, cancel)
	w.check()
	if len(w.open) != 0 {
		t.Error("the editor was asked")
	}
	f := w.post(session, callOne)
	w.check()
	token := w.open[0].Token
	w.finish(token, Outcome{Result: []byte(`{"a":"` + pad + `"}`)})
	w.post(session, cancel)
	w.check()
	if !f.over || len(f.said) != 0 {
		t.Errorf("said %v", f.said)
	}
	if len(w.server.calls) != 0 {
		t.Error("a call is left")
	}
}

// What no schema has to hold for is read all the same, and what is long takes time.
func TestResult_ThatIsLongIsReadAside(t *testing.T) {
	t.Parallel()
	w, session := later(t, Tool{Name: "t", InputSchema: []byte(`{"type":"object"}`), ResultLimit: -1})
	for size, aside := range map[int]bool{64 << 10: false, 64<<10 + 1: true} {
		f := w.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_t","arguments":{}}}`)
		w.finish(w.open[0].Token, Outcome{Result: []byte(`"` + strings.Repeat("x", size-2) + `"`)})
		if f.over == aside {
			t.Fatalf("%d bytes: answered at once: %v", size, f.over)
		}
		if aside {
			w.check()
		}
		if !f.over {
			t.Errorf("%d bytes: not answered", size)
		}
	}
}

func TestChecks_AreBounded(t *testing.T) {
	t.Parallel()
	var a aside
	hold := make(chan func(), 1)
	a.post = func(f func()) bool { hold <- f; return true }
	idle := func() {}
	for range maxAside + 1 { // one of them runs
		if !a.do(1, idle, idle) {
			t.Fatal("refused")
		}
	}
	if a.do(1, idle, idle) {
		t.Error("more than the bound wait")
	}
	for range maxAside + 1 {
		(<-hold)()
	}
	if !a.do(maxAsideBytes, idle, idle) || a.do(1, idle, idle) {
		t.Error("the bytes are not bounded")
	}
	(<-hold)()
	if a.bytes != 0 || a.running || len(a.jobs) != 0 {
		t.Errorf("left are %+v", a)
	}
}

func TestCatalogue_IsCompiledAsideOnceThereIsOne(t *testing.T) {
	t.Parallel()
	w, session := later(t, checkedTool)
	var left []string
	change := func(name string) {
		w.server.ChangeCatalogue([]Tool{{Name: name, InputSchema: []byte(`{"type":"object"}`)}, {Name: "bad " + name}},
			func(r []Rejected) { left = append(left, r[0].Name) })
	}
	change("a")
	change("b") // never compiled: c comes before its turn
	change("c")
	if w.server.tools.byName["t"] == nil {
		t.Fatal("the catalogue is replaced before the new one is compiled")
	}
	w.check()
	w.check()
	if w.server.tools.byName["c"] == nil || !slices.Equal(left, []string{"bad a", "bad c"}) {
		t.Errorf("left out %v, there are %v", left, w.server.tools.byName)
	}
	if f := w.post(session, callOne); !strings.Contains(f.said[0], "Unknown tool") {
		t.Errorf("said %v", f.said)
	}
}
