// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelCall is what the test knows of a call.
type modelCall struct {
	token  uint64
	client uint64
	id     string
	wait   time.Duration
	began  time.Time
	// ended is how it ended, "" while it is in flight.
	ended string
}

func (c *modelCall) answered() bool {
	return c.ended == "finished" || c.ended == "deadline" || c.ended == "stop"
}

// Whatever comes in whatever order, each call ends once: answered once if it
// finished, expired or was stopped, not at all if it was cancelled or its client
// left; and the editor is told exactly when it need not go on.
func TestCall_EndsExactlyOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := ideWorld(t, ideTool("openDiff"), ideTool("openFile"), ideTool("getDiagnostics"))
		w.server.Open(2)
		var calls []*modelCall
		cancels := make(map[uint64]int)
		w.onCall = func(c Call) { calls[len(calls)-1].token = c.Token }
		w.server.editor = countingEditor{w, cancels}
		connected := map[uint64]bool{1: true, 2: true}
		next := uint64(3)

		end := func(how string, which func(*modelCall) bool) {
			for _, c := range calls {
				if c.ended == "" && which(c) {
					c.ended = how
				}
			}
		}
		pick := func(r *rapid.T) *modelCall {
			if len(calls) == 0 {
				r.Skip("no calls yet")
			}
			return rapid.SampledFrom(calls).Draw(r, "call")
		}
		r.Repeat(map[string]func(*rapid.T){
			"call": func(r *rapid.T) {
				client := rapid.Uint64Range(1, next).Draw(r, "client")
				if !connected[client] {
					r.Skip("not connected")
				}
				tool := rapid.SampledFrom([]string{"openDiff", "openFile", "getDiagnostics"}).Draw(r, "tool")
				wait := map[string]time.Duration{"openFile": ideDeadline, "getDiagnostics": diagnosticsOfAll}[tool]
				c := &modelCall{client: client, id: fmt.Sprint(len(calls)), wait: wait, began: w.clock.now}
				calls = append(calls, c)
				w.server.Message(client, []byte(withID(c.id, `"method":"tools/call","params":{"name":"`+tool+`"}}`)))
			},
			"finish": func(r *rapid.T) {
				c := pick(r)
				out := rapid.SampledFrom([]Outcome{{Result: []byte(`"ok"`)}, {}, {Err: ToolError("x")}}).Draw(r, "outcome")
				w.server.Finish(c.token, out)
				end("finished", func(other *modelCall) bool { return other == c })
			},
			"cancel": func(r *rapid.T) {
				c := pick(r)
				client := rapid.Uint64Range(1, next).Draw(r, "client")
				w.server.Message(client, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+c.id+`}}`))
				end("cancelled", func(other *modelCall) bool { return other == c && c.client == client })
			},
			"progress": func(r *rapid.T) { w.server.Progress(pick(r).token, 1, 2, "") },
			"time": func(r *rapid.T) {
				w.clock.advance(rapid.SampledFrom([]time.Duration{time.Second, diagnosticsOfAll, ideDeadline}).Draw(r, "passed"))
				end("deadline", func(c *modelCall) bool { return c.wait > 0 && !c.began.Add(c.wait).After(w.clock.now) })
			},
			"gone": func(r *rapid.T) {
				client := rapid.Uint64Range(1, next).Draw(r, "client")
				w.server.Closed(client, 1006, "")
				connected[client] = false
				end("gone", func(c *modelCall) bool { return c.client == client })
			},
			"open": func(r *rapid.T) {
				w.server.Open(next)
				connected[next] = true
				next++
			},
			"stop": func(r *rapid.T) {
				w.server.Stop()
				end("stop", func(*modelCall) bool { return true })
			},
			"": func(r *rapid.T) {
				flying := 0
				for _, c := range calls {
					answers := 0
					for _, payload := range w.sent[c.client] {
						if strings.HasPrefix(string(payload), `{"jsonrpc":"2.0","id":`+c.id+`,`) {
							answers++
						}
					}
					want := 0
					if c.answered() {
						want = 1
					}
					if answers != want {
						r.Fatalf("call %s (%q) was answered %d times", c.id, c.ended, answers)
					}
					wantCancels := 1
					if c.ended == "" || c.ended == "finished" {
						wantCancels = 0
					}
					if cancels[c.token] != wantCancels {
						r.Fatalf("call %s (%q) was cancelled %d times in the editor", c.id, c.ended, cancels[c.token])
					}
					if c.ended == "" {
						flying++
					}
				}
				inClients := 0
				for _, info := range w.server.Clients() {
					inClients += info.Calls
				}
				if len(w.server.calls) != flying || inClients != flying {
					r.Fatalf("%d in the table, %d in the clients' lists, want %d", len(w.server.calls), inClients, flying)
				}
				if len(w.clock.timers) > flying {
					r.Fatalf("%d timers for %d calls", len(w.clock.timers), flying)
				}
			},
		})
	})
}

type countingEditor struct {
	*world
	cancels map[uint64]int
}

func (e countingEditor) Cancel(token uint64) { e.cancels[token]++ }
