// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"claudecoded/mcp"
)

const (
	// maxOutstanding is how many calls Neovim has and did not answer yet, with a
	// result or with the promise of one. It runs them one after the other.
	maxOutstanding = 4
	// maxCalls is how many calls may be unfinished, wherever they are.
	maxCalls = 1024
	// maxCallBytes is how many bytes of arguments may wait to be written.
	maxCallBytes = 64 << 20
	// maxArguments bounds the arguments of one call in bytes, as its result is
	// bounded: Neovim takes nothing else while it reads them, 80 ms a MiB.
	maxArguments = 16 << 20
)

var (
	errGone    = errors.New("Neovim is gone")
	errBusy    = errors.New("editor is busy")
	errExpired = errors.New("the call's deadline passed before Neovim could take it")
	errTooBig  = fmt.Errorf("the call's arguments are larger than %d MiB", maxArguments>>20)
)

// call is one call on its way: waiting, then handed to Neovim, then pending there
// once Neovim answered that the result will follow.
type call struct {
	mcp.Call
	waiting bool
	sent    time.Time // when it was handed over; zero before
	probeBy time.Time // when Neovim, if silent, is asked why; zero: no sooner than else
}

// table holds the calls. unfinished has every call that the host waits for;
// waiting those of them not yet handed over, oldest first; outstanding those that
// Neovim has not answered, oldest first, whether or not anybody waits for them.
type table struct {
	unfinished   map[uint64]*call
	waiting      []*call
	waitingBytes int
	outstanding  []*call
}

func newTable() table { return table{unfinished: make(map[uint64]*call)} }

// clear forgets every call and returns those that were unfinished.
func (t *table) clear() []*call {
	calls := make([]*call, 0, len(t.unfinished))
	for _, c := range t.unfinished {
		calls = append(calls, c)
	}
	*t = newTable()
	return calls
}

// take removes a call that is unfinished; nil if it is not.
func (t *table) take(token uint64) *call {
	c := t.unfinished[token]
	delete(t.unfinished, token)
	if c != nil && c.waiting {
		t.waiting = slices.DeleteFunc(t.waiting, func(w *call) bool { return w == c })
		t.waitingBytes -= len(c.Args)
	}
	return c
}

// Call queues a tool call for Neovim.
func (b *Bridge) Call(c mcp.Call) {
	t := &b.calls
	err := b.refusal(len(c.Args))
	t.unfinished[c.Token] = &call{Call: c, waiting: err == nil, probeBy: probeBy(time.Now(), c.Deadline)}
	if err != nil {
		b.finishLater(c.Token, err)
		return
	}
	t.waiting = append(t.waiting, t.unfinished[c.Token])
	t.waitingBytes += len(c.Args)
	b.flush()
}

// refusal says why another call of that size is not taken.
func (b *Bridge) refusal(size int) error {
	switch t := &b.calls; {
	case b.err != nil:
		return errGone
	case size > maxArguments:
		return errTooBig
	case len(t.unfinished) >= maxCalls || t.waitingBytes+size > maxCallBytes:
		return errBusy
	}
	return nil
}

// Cancel forgets a call. If Neovim has it, Neovim is told.
func (b *Bridge) Cancel(token uint64) {
	if c := b.calls.take(token); c != nil && !c.sent.IsZero() {
		b.send(push("cancel", token))
	}
}

// nextCall removes the oldest waiting call that Neovim may have now. Those past
// their deadline end here: what nobody waits for never runs.
func (b *Bridge) nextCall() *call {
	t := &b.calls
	for len(t.waiting) > 0 && len(t.outstanding) < maxOutstanding {
		c := t.waiting[0]
		t.waiting = slices.Delete(t.waiting, 0, 1)
		t.waitingBytes -= len(c.Args)
		c.waiting = false
		if c.Deadline.IsZero() || time.Now().Before(c.Deadline) {
			return c
		}
		b.finishLater(c.Token, errExpired)
	}
	return nil
}

// handOver makes the request of a call, which occupies Neovim until it is answered.
func (b *Bridge) handOver(c *call) item {
	c.sent = time.Now()
	b.calls.outstanding = append(b.calls.outstanding, c)
	b.watch()
	// Neovim may read this only after it was blocked for long.
	info := map[string]any{"client": c.Client, "sent_unix_ms": c.sent.UnixMilli()}
	if !c.Deadline.IsZero() {
		left := c.Deadline.Sub(c.sent)
		info["remaining_ms"] = max(1, left.Milliseconds())
		info["expires_unix_ms"] = c.sent.Add(left).UnixMilli()
	}
	if c.Paths != nil {
		info["paths"] = c.Paths
	}
	it := push(c.message(), c.Token, c.Tool, c.Args, info)
	it.answered = func(m *message, err error) { b.answered(c, m, err) }
	c.Args = nil
	return it
}

// answered is Neovim's answer to a call.
func (b *Bridge) answered(c *call, m *message, err error) {
	t := &b.calls
	t.outstanding = slices.DeleteFunc(t.outstanding, func(o *call) bool { return o == c })
	b.heard(true)
	switch {
	case c.Resolve:
		b.resolved(c.Token, m, err)
	case err != nil || !m.isTrue("pending"):
		b.finish(c.Token, answerOutcome(m, err))
	}
	b.flush()
}

// finish ends a call unless it ended before.
func (b *Bridge) finish(token uint64, o mcp.Outcome) {
	if b.calls.take(token) != nil {
		b.host.Finish(token, o)
	}
}

// finishLater is finish for an Editor method, which must not call back.
func (b *Bridge) finishLater(token uint64, err error) {
	b.post(func() { b.finish(token, failed(err)) })
}

func failed(err error) mcp.Outcome { return mcp.Outcome{Err: mcp.ToolError(err.Error())} }
