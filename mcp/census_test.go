// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInFlight_ListsWhatAClientWaitsFor(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openDiff"), ideTool("openFile"))
	began := w.clock.now
	var tokens []uint64
	w.onCall = func(c Call) { tokens = append(tokens, c.Token) }
	w.say(withID("1", `"method":"tools/call","params":{"name":"openDiff"}}`))
	w.clock.advance(time.Second)
	w.say(withID("2", `"method":"tools/call","params":{"name":"openFile"}}`))
	w.server.Waiting(tokens[1], "Insert mode")
	want := []CallInfo{{"openDiff", began, ""}, {"openFile", began.Add(time.Second), "Insert mode"}}
	if diff := cmp.Diff(want, w.server.InFlight(1)); diff != "" {
		t.Error(diff)
	}
	w.server.Finish(tokens[0], Outcome{Result: []byte("null")})
	if diff := cmp.Diff(want[1:], w.server.InFlight(1)); diff != "" {
		t.Error(diff)
	}
	if got := w.server.InFlight(7); got != nil {
		t.Errorf("a stranger has %v", got)
	}
}

func TestCalled_CountsToolsThatExistAndNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openDiff"), ideTool("openFile"))
	for _, name := range []string{"openFile", "openDiff", "openFile", "nothing"} {
		w.say(withID("1", `"method":"tools/call","params":{"name":"`+name+`"}}`))
	}
	if diff := cmp.Diff(map[string]int{"openFile": 2, "openDiff": 1}, w.server.Called()); diff != "" {
		t.Error(diff)
	}
	for i := range maxCounted {
		w.server.count(fmt.Sprint(i))
	}
	w.server.count("openDiff")
	if got := w.server.Called(); len(got) != maxCounted || got["openDiff"] != 2 {
		t.Errorf("%d are counted, openDiff %d times", len(got), got["openDiff"])
	}
}

func TestGuests_ListsWhoIsThereOverHTTP(t *testing.T) {
	t.Parallel()
	w := httpWorld(newWorld(t), "build")
	began := w.clock.now
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_build"}}`
	id := w.begin("2025-06-18")
	w.begin("2025-03-26")
	w.http("pipe", "GET /sse")
	w.clock.advance(time.Second)
	later := w.clock.now
	w.post(id, call)
	w.request("say", "POST", "/messages?sessionId=session-3", map[string]string{"content-type": typeJSON}, call)
	w.server.Waiting(w.open[1].Token, "Insert mode")
	stateless := map[string]string{
		"content-type": typeJSON, "mcp-protocol-version": revisionStateless, "mcp-method": "tools/call", "mcp-name": "nvim_build",
	}
	meta := `"name":"nvim_build","_meta":{"` + metaVersion + `":"` + revisionStateless + `","` + metaCapabilities + `":{}}`
	for range 2 {
		w.request("call", "POST", "/mcp", stateless, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`}}`)
		w.clock.advance(time.Second)
	}
	building := CallInfo{"nvim_build", later, ""}
	want := []Guest{
		{"mcp_1", "", "2025-06-18", began, later, []CallInfo{building}},
		{"mcp_2", "", "2025-03-26", began, began, []CallInfo{}},
		{"mcp_3", "", "2025-11-25", began, later, []CallInfo{{"nvim_build", later, "Insert mode"}}},
		{"http_7", "", revisionStateless, later, later.Add(time.Second), []CallInfo{building, {"nvim_build", later.Add(time.Second), ""}}},
	}
	if diff := cmp.Diff(want, w.server.Guests()); diff != "" {
		t.Error(diff)
	}
	w.clock.advance(sessionIdle)
	w.server.Stop()
	names := func() (names []string) {
		for _, g := range w.server.Guests() {
			names = append(names, g.Client)
		}
		return names
	}
	// Its last call just ended, with the server.
	if diff := cmp.Diff([]string{"http_7"}, names()); diff != "" {
		t.Error(diff)
	}
	_, _, peers := w.server.Activity()
	if diff := cmp.Diff([]Peer{{"http_7", ""}}, peers); diff != "" {
		t.Error(diff)
	}
	w.clock.advance(guestFor + time.Second)
	if left := names(); left != nil {
		t.Errorf("%v are still there", left)
	}
}
