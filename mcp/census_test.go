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
