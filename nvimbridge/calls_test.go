// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"claudecoded/mcp"
	"claudecoded/test/nvimtest"
)

func named(token uint64, tool string) mcp.Call {
	return mcp.Call{Token: token, Tool: tool, Args: []byte("{}"), Client: "client_1"}
}

// fill gives Neovim as many calls as it may have, tokens 1 to 4.
func fill(t *testing.T, h *fakeHost, e *editor) {
	t.Helper()
	for token := range uint64(maxOutstanding) {
		h.call(named(token+1, "first"))
	}
	for range maxOutstanding {
		e.next(t, "first")
	}
}

// next waits for the next call.
func (e *editor) next(t *testing.T, tool string) {
	t.Helper()
	select {
	case got := <-e.calls:
		if got != tool {
			t.Fatalf("call of %s, want %s", got, tool)
		}
	case <-time.After(nvimtest.Patience):
		t.Fatalf("%s is not called", tool)
	}
}

// pushed waits for the next push. Everything sent before it has arrived then.
func (e *editor) pushed(t *testing.T, want string) {
	t.Helper()
	select {
	case args := <-e.push:
		if got := strings.TrimSuffix(fmt.Sprintln(args...), "\n"); got != want {
			t.Fatalf("push %s, want %s", got, want)
		}
	case <-time.After(nvimtest.Patience):
		t.Fatalf("no push %s", want)
	}
}

// waits checks that n calls stay behind, whatever else is written.
func waits(t *testing.T, h *fakeHost, e *editor, n int) {
	t.Helper()
	h.loop.do(func() { h.bridge.Log("info", "fence") })
	e.pushed(t, "log info fence")
	if got := on(h, func() int { return len(h.bridge.calls.waiting) }); got != n {
		t.Errorf("%d calls wait, want %d", got, n)
	}
}

func (e *editor) answer(t *testing.T, r map[string]any) {
	t.Helper()
	select {
	case e.reply <- r:
	case <-time.After(nvimtest.Patience):
		t.Fatal("no call waits for an answer")
	}
}

func TestCall_KeepsAtMostFourInNeovim(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	fill(t, h, e)
	h.call(named(5, "fifth"))
	waits(t, h, e, 1) // and the push passed it
	e.answer(t, object{"done": true, "result": "r"})
	e.next(t, "fifth")
}

func TestCall_APendingOneGivesItsPlaceAway(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	fill(t, h, e)
	h.call(named(5, "fifth"))
	e.answer(t, object{"pending": true, "task_id": "x"})
	e.next(t, "fifth")
	if len(on(h, func() map[uint64]mcp.Outcome { return h.outcomes })) != 0 {
		t.Error("a pending call was finished")
	}
}

func TestCancel_AWaitingCallNeverRuns(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	fill(t, h, e)
	h.call(named(5, "cancelled"))
	h.call(named(6, "sixth"))
	h.loop.do(func() { h.bridge.Cancel(5) })
	e.answer(t, object{"done": true})
	e.next(t, "sixth")
	if h.isFinished(5) {
		t.Error("a cancelled call was finished")
	}
}

func TestCancel_TellsNeovimOnceAboutACallItHas(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	fill(t, h, e)
	h.loop.do(func() {
		h.bridge.Cancel(2)
		h.bridge.Cancel(2)
		h.bridge.Cancel(99)
	})
	e.pushed(t, "cancel 2")
	h.call(named(5, "fifth"))
	waits(t, h, e, 1)              // Neovim is still busy with the cancelled call
	for range maxOutstanding + 1 { // the fifth, which follows the first answer, may be given another's
		e.answer(t, object{"done": true})
	}
	for _, token := range []uint64{1, 3, 4} {
		h.finished(t, token)
	}
	if h.isFinished(2) {
		t.Error("the answer to a cancelled call was passed on")
	}
}

func TestCall_PastItsDeadlineNeverRuns(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	fill(t, h, e)
	late := named(5, "late")
	late.Deadline = time.Now().Add(20 * time.Millisecond)
	h.call(late)
	h.call(named(6, "sixth"))
	<-time.After(time.Until(late.Deadline))
	e.answer(t, object{"done": true})
	e.next(t, "sixth")
	if got := h.finished(t, 5); got != `error -32000 `+errExpired.Error()+` "`+errExpired.Error()+`"` {
		t.Error(got)
	}
}

func TestCall_IsRefusedWhenTheEditorIsBusy(t *testing.T) {
	t.Parallel()
	const busy = `error -32000 editor is busy "editor is busy"`
	t.Run("calls", func(t *testing.T) {
		t.Parallel()
		h, e := scripted(t)
		fill(t, h, e)
		for token := uint64(maxOutstanding + 1); token <= maxCalls; token++ {
			h.call(named(token, "more"))
		}
		h.call(named(5000, "too many"))
		if got := h.finished(t, 5000); got != busy {
			t.Error(got)
		}
		h.loop.do(func() { h.bridge.Cancel(maxCalls) })
		h.call(named(5001, "fits"))
		waits(t, h, e, maxCalls-maxOutstanding)
		if h.isFinished(5001) {
			t.Error("a call that fits was refused")
		}
	})
	t.Run("bytes", func(t *testing.T) {
		t.Parallel()
		h, e := scripted(t)
		fill(t, h, e)
		big := func(token uint64, size int) {
			c := named(token, "big")
			c.Args = make([]byte, size)
			h.call(c)
		}
		const full = maxCallBytes / maxArguments
		for token := range uint64(full - 1) {
			big(10+token, maxArguments)
		}
		big(5, maxArguments-1)
		big(6, 2)
		if got := h.finished(t, 6); got != busy {
			t.Error(got)
		}
		big(7, 1)
		if h.isFinished(5) || h.isFinished(7) {
			t.Error("a call that fits was refused")
		}
		h.loop.do(func() { h.bridge.Cancel(5) })
		big(9, maxArguments-1)
		waits(t, h, e, full+1)
		if h.isFinished(9) {
			t.Error("a cancelled call still takes room")
		}
	})
}

func TestCall_WithTooLargeArgumentsIsRefusedWithTheBound(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	for token, size := range []int{maxArguments, maxArguments + 1} {
		c := named(uint64(token), "big")
		c.Args = make([]byte, size)
		h.call(c)
	}
	e.next(t, "big")
	const said = "the call's arguments are larger than 16 MiB"
	if got := h.finished(t, 1); got != "error -32000 "+said+` "`+said+`"` {
		t.Error(got)
	}
	if h.isFinished(0) {
		t.Error("the largest that fits was refused")
	}
}

func TestCall_WithALargeFileReachesNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, _ := neovim(t, nvimtest.Options{Nvim: binary})
		c := named(1, "echo")
		c.Args = fmt.Appendf(nil, `{"text":"%s"}`, strings.Repeat("x", 3<<20))
		want := string(c.Args)
		h.call(c)
		if got := h.finished(t, 1); got != want {
			t.Errorf("%d bytes of %d came back", len(got), len(want))
		}
	})
}

func TestCall_DoesNotCallBackBeforeItReturns(t *testing.T) {
	t.Parallel()
	h, _ := scripted(t)
	h.loop.do(func() {
		c := named(1, "big")
		c.Args = make([]byte, maxArguments+1)
		h.bridge.Call(c)
		if len(h.outcomes) != 0 {
			t.Error("Finish was called inside Call")
		}
	})
	h.finished(t, 1)
}

func TestToolDone_EndsACallOnceWhateverComesFirst(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	h.call(named(1, "early"))
	e.next(t, "early")
	tell(t, e, "tool_done", object{"token": 1, "result": "pushed"})
	if got := h.finished(t, 1); got != `"pushed"` {
		t.Error(got)
	}
	e.answer(t, object{"pending": true}) // overtaken by its own end

	h.call(named(2, "late"))
	e.next(t, "late")
	e.answer(t, object{"pending": true})
	tell(t, e, "tool_progress", object{"token": 2, "progress": 1, "total": 4, "message": "m"})
	tell(t, e, "tool_progress", object{"token": 77, "progress": 1})
	tell(t, e, "tool_waiting", object{"token": 2, "reason": "Insert mode"})
	tell(t, e, "tool_waiting", object{"token": 2})
	tell(t, e, "tool_done", object{"token": 2, "error": object{"code": -32001, "message": "E"}})
	tell(t, e, "tool_done", object{"token": 2, "result": 5})
	tell(t, e, "tool_done", object{"token": 77, "result": 5})
	tell(t, e, "workspace_folders", object{"folders": array{"/x"}})
	h.eventually(t, "the last message came", h.saw(`folders ["/x"]`))
	if got := h.finished(t, 2); got != `error -32001 E ` {
		t.Error(got)
	}
	want := []string{"progress 2 1/4 m", `waiting 2 "Insert mode"`, `folders ["/x"]`}
	if got := on(h, func() []string { return h.events }); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func tell(t *testing.T, e *editor, method string, args ...any) {
	t.Helper()
	if err := e.ep.Notify(method, args...); err != nil {
		t.Fatal(err)
	}
}
