// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func batchOf(n int, message string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(message+",", n), ",") + "]"
}

func TestBatch_IsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.begin("2025-03-26")
	if f := w.post(id, batchOf(maxBatch, pingMessage)); f.status != 200 {
		t.Errorf("%d messages: %d", maxBatch, f.status)
	}
	if f := w.post(id, batchOf(maxBatch+1, pingMessage)); f.status != 400 {
		t.Errorf("%d messages: %d", maxBatch+1, f.status)
	}
	if f := w.post(id, strings.Repeat("[", maxDepth+1)); f.status != 400 {
		t.Errorf("too deep: %d", f.status)
	}
}

func TestPOST_OfWhatIsNotUTF8IsNoJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const ping = "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}"
	w.http("pipe", "GET /sse")
	header := map[string]string{"content-type": typeJSON}
	for _, f := range []*fakeHTTP{
		w.post(w.begin("2025-11-25"), ping),
		w.request("say", "POST", "/messages?sessionId=session-1", header, ping),
	} {
		if f.status != 400 || !strings.Contains(f.said[0], `"code":-32700`) {
			t.Errorf("%s: %d %s", f.name, f.status, f.said)
		}
	}
}

func TestFeeds_TheOldestMakesRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var feeds []*fakeHTTP
	for range maxFeeds + 1 {
		feeds = append(feeds, w.postStateless("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	}
	if !feeds[0].over || feeds[1].over || len(w.server.feeds) != maxFeeds {
		t.Errorf("%d feeds", len(w.server.feeds))
	}
	if last := feeds[0].said[len(feeds[0].said)-1]; !strings.Contains(last, `"resultType":"complete"`) {
		t.Errorf("it ended with %s", last)
	}
}

func TestPipes_OneTooManyIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open := func(n int) *fakeHTTP {
		return w.request(fmt.Sprint("pipe", n), "GET", "/sse", map[string]string{"accept": typeEvents}, "")
	}
	for n := range maxPipes {
		if f := open(n); f.status != 200 {
			t.Fatalf("the %dth: %d", n, f.status)
		}
	}
	if f := open(maxPipes); f.status != 503 {
		t.Errorf("one more: %d", f.status)
	}
	w.responses["pipe0"].leave()
	if f := open(maxPipes + 1); f.status != 200 {
		t.Errorf("after one left: %d", f.status)
	}
	w.server.Stop()
	if n := len(w.clock.timers) + len(w.server.pipes); n != 0 {
		t.Errorf("%d timers and pipes stay", n)
	}
}

func TestFeeds_LeaveNothingWhenTheirClientsDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.http("get", "GET /mcp session="+w.begin("2025-11-25"))
	listen := w.postStateless("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	w.responses["get"].leave()
	listen.leave()
	if n := len(w.clock.timers) + len(w.server.feeds); n != 0 || w.server.sessions.all[0].busy() {
		t.Errorf("%d timers and feeds stay", n)
	}
}

// A transport serves the next request of a connection as soon as the response to one is
// complete, from within the call that completed it.
func TestHTTP_TheNextRequestComesWhileOneIsServed(t *testing.T) {
	t.Parallel()
	w := httpWorld(newWorld(t), "build")
	w.http("pipe", "GET /sse")
	say := func(id string) {
		w.request("say"+id, "POST", "/messages?sessionId=session-1", map[string]string{"content-type": typeJSON},
			`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
	}
	w.then = func() { say("2") }
	say("1")
	if got := strings.Join(w.responses["pipe"].said, ""); strings.Count(got, `"id":1,`) != 1 || strings.Count(got, `"id":2,`) != 1 {
		t.Errorf("two requests got %s", got)
	}

	id := w.begin("2025-11-25")
	w.then = func() { w.post(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`) }
	call := w.post(id, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nvim_build"}}`)
	cancel := w.post(id, `{"jsonrpc":"2.0","id":8,"method":"notifications/cancelled","params":{"requestId":7}}`)
	if !call.over || cancel.status != 200 || cancel.said[0] != `{"jsonrpc":"2.0","id":8,"result":{}}` {
		t.Errorf("the call is over: %v; its cancellation got %d %s", call.over, cancel.status, cancel.said)
	}

	w.then = func() { w.http("second", "GET /mcp session="+id) }
	w.http("first", "GET /mcp session="+id)
	w.http("third", "GET /mcp session="+id)
	if !w.responses["first"].over || !w.responses["second"].over || w.responses["third"].over {
		t.Error("more than one stream stayed, or another than the newest")
	}

	listen := func() *fakeHTTP {
		return w.postStateless("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	}
	w.then = func() { listen() }
	for range maxFeeds + 1 {
		listen()
	}
	if n := len(w.server.feeds); n != maxFeeds {
		t.Errorf("%d feeds", n)
	}

	one, two, three := w.begin("2025-11-25"), w.begin("2025-11-25"), w.begin("2025-11-25")
	w.then = func() { w.http("delete", "DELETE /mcp session="+two) }
	w.http("one", "GET /mcp session="+one)
	w.http("three", "GET /mcp session="+three)
	w.server.Stop()
	if !w.responses["three"].over {
		t.Error("a stream is open after the stop")
	}
}

// model is what the property test knows of one POST with a call.
type model struct {
	token     uint64
	response  *fakeHTTP
	stateless bool
	id        string
	// ended is how the call ended, "" while it is in flight; left says that the
	// connection did.
	ended string
	left  bool
}

// Whatever comes in whatever order, a POST is answered once, or not at all if its
// connection ended or its call was cancelled, and nothing stays behind: no timer, no
// exchange, no call.
func TestExchange_EndsExactlyOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := httpWorld(newWorld(t), "openDiff", "build")
		cancels := make(map[uint64]int)
		w.server.editor = countingEditor{w, cancels}
		var all []*model
		w.onCall = func(c Call) { all[len(all)-1].token = c.Token }
		session := w.begin("2025-11-25")
		pick := func(r *rapid.T) *model {
			if len(all) == 0 {
				r.Skip("no calls yet")
			}
			return rapid.SampledFrom(all).Draw(r, "call")
		}
		end := func(m *model, how string) {
			if m.ended == "" {
				m.ended = how
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"call": func(r *rapid.T) {
				m := &model{stateless: rapid.Bool().Draw(r, "stateless"), id: fmt.Sprint(len(all) + 100)}
				all = append(all, m)
				tool := rapid.SampledFrom([]string{"nvim_openDiff", "nvim_build"}).Draw(r, "tool")
				if m.stateless {
					m.response = w.postStateless(m.id, "tools/call", `"name":"`+tool+`"`)
				} else {
					m.response = w.post(session, `{"jsonrpc":"2.0","id":`+m.id+`,"method":"tools/call","params":{"name":"`+tool+`","_meta":{"progressToken":1}}}`)
				}
			},
			"finish": func(r *rapid.T) {
				m := pick(r)
				w.server.Finish(m.token, rapid.SampledFrom([]Outcome{{Result: []byte(`"ok"`)}, {Err: ToolError("x")}}).Draw(r, "outcome"))
				end(m, "answered")
			},
			"cancel": func(r *rapid.T) {
				m := pick(r)
				w.post(session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+m.id+`}}`)
				if !m.stateless {
					end(m, "cancelled")
				}
			},
			"progress": func(r *rapid.T) { w.server.Progress(pick(r).token, 1, 2, "") },
			"time": func(r *rapid.T) {
				w.clock.advance(rapid.SampledFrom([]time.Duration{time.Second, slowAnswer, commentEvery}).Draw(r, "passed"))
			},
			"leave": func(r *rapid.T) {
				m := pick(r)
				m.left = m.left || !m.response.over
				m.response.leave()
				if m.left && m.stateless {
					end(m, "gone")
				}
			},
			"delete": func(r *rapid.T) {
				w.request("delete", "DELETE", "/mcp", map[string]string{"mcp-session-id": session}, "")
				session = w.begin("2025-11-25")
				for _, m := range all {
					if !m.stateless {
						end(m, "cancelled")
					}
				}
			},
			"stop": func(r *rapid.T) {
				w.server.Stop()
				for _, m := range all {
					end(m, "answered")
				}
			},
			"": func(r *rapid.T) {
				flying, timers := 0, 0
				for _, m := range all {
					answers := 0
					for _, said := range m.response.said {
						answers += strings.Count(said, `"id":`+m.id+`,`)
					}
					if want := m.ended == "answered" && !m.left; (answers == 1) != want || answers > 1 {
						// One that left in the same moment as it was answered is answered to nobody.
						if answers > 1 || !m.left {
							r.Fatalf("call %s (%q, left %v) was answered %d times", m.id, m.ended, m.left, answers)
						}
					}
					if (m.ended != "" || m.left) != m.response.over {
						r.Fatalf("call %s (%q, left %v): over is %v", m.id, m.ended, m.left, m.response.over)
					}
					wantCancels := 1
					if m.ended == "" || m.ended == "answered" {
						wantCancels = cancels[m.token] // a stop may have told it
					}
					if cancels[m.token] != wantCancels {
						r.Fatalf("call %s (%q) was cancelled %d times in the editor", m.id, m.ended, cancels[m.token])
					}
					if m.ended == "" {
						flying++
					}
					if !m.response.over {
						timers++
					}
				}
				if len(w.server.calls) != flying {
					r.Fatalf("%d calls, want %d", len(w.server.calls), flying)
				}
				// Each call that is not a diff has a deadline besides.
				if n := len(w.clock.timers); n > timers+flying {
					r.Fatalf("%d timers for %d responses and %d calls", n, timers, flying)
				}
				exchanges := 0
				for _, s := range w.server.sessions.all {
					exchanges += len(s.exchanges)
				}
				want := 0
				for _, m := range all {
					if !m.stateless && m.ended == "" {
						want++
					}
				}
				if exchanges != want {
					r.Fatalf("%d exchanges in the sessions, want %d", exchanges, want)
				}
			},
		})
	})
}

func TestStop_LeavesNoTimer(t *testing.T) {
	t.Parallel()
	w := httpWorld(newWorld(t), "build")
	id := w.begin("2025-11-25")
	w.http("stream", "GET /mcp session="+id)
	w.postStateless("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	w.postStateless("2", "tools/call", `"name":"nvim_build"`)
	w.clock.advance(slowAnswer)
	w.server.Stop()
	if n := len(w.clock.timers); n != 0 {
		t.Errorf("%d timers", n)
	}
	for name, f := range w.responses {
		if !f.over {
			t.Errorf("%s is open", name)
		}
	}
}

func TestAccept_ReadsTheTable(t *testing.T) {
	t.Parallel()
	both, json, events, none := accepted{true, true}, accepted{json: true}, accepted{events: true}, accepted{}
	for value, want := range map[string]accepted{
		"application/json, text/event-stream":      both,
		"text/event-stream;q=0.5,application/json": both,
		"*/*":                                   both,
		"text/html, */*;q=0.1":                  both,
		"application/*":                         json,
		"application/JSON ; charset=utf-8; q=1": json,
		"text/*":                                events,
		"TEXT/EVENT-STREAM":                     events,
		"application/json;q=0, text/event-stream": events,
		"application/json; Q = 0.000":             none,
		"text/html":                               none,
		"":                                        none,
		"application/jsonx, text/event-streams, json": none,
	} {
		if got := readAccept(value, true); got != want {
			t.Errorf("%q: %+v, want %+v", value, got, want)
		}
	}
	if got := readAccept("", false); got != both {
		t.Errorf("none: %+v", got)
	}
}

// FuzzHTTP posts anything in both eras: it is answered once at most, nothing panics, and
// the next request is served.
func FuzzHTTP(f *testing.F) {
	for _, text := range corpus {
		f.Add([]byte(text), "2025-11-25")
		f.Add([]byte("["+text+","+text+"]"), "2025-03-26")
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_openFile","arguments":{"a":1e9999},`+statelessMeta+`}}`), revisionStateless)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":[],`+statelessMeta+`}}`), revisionStateless)
	f.Fuzz(func(t *testing.T, text []byte, version string) {
		w := httpWorld(newWorld(t), "openFile")
		id := w.begin(negotiated(version).name)
		header := map[string]string{"content-type": "application/json", "mcp-session-id": id, "mcp-protocol-version": version}
		for _, method := range []string{"tools/call", "subscriptions/listen"} {
			header["mcp-method"], header["mcp-name"] = method, "nvim_openFile"
			response := w.request(method, "POST", "/mcp", header, string(text))
			if !response.begun && len(w.open) == 0 {
				t.Fatalf("%q is not answered, and nothing is called", text)
			}
			for _, c := range slices.Clone(w.open) {
				w.finish(c.Token, Outcome{Result: []byte(`1`)})
			}
			if !response.over && len(w.server.feeds) == 0 {
				t.Fatalf("%q: the response does not end", text)
			}
		}
		if got := w.post(id, pingMessage); got.status != 200 || got.said[0] != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Fatalf("after %q: %d %s", text, got.status, got.said)
		}
	})
}
