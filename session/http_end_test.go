// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"claudecoded/session"
)

func TestStream_CarriesEventsAndKeepsTheConnection(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("GET", "/mcp?stream", ""))
	w.loop.Settle()
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(p.Received())), nil)
	if err != nil || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("Mcp-Session-Id") != "s" {
		t.Fatalf("%+v, %v", resp, err)
	}
	stream := s.streams[0]
	if !stream.Comment() || !stream.Event("message", []byte(`{"a":1}`)) || !stream.Event("", []byte("x\ny")) {
		t.Error("a stream that is open takes nothing")
	}
	p.Send(ask("POST", "/mcp", "next"))
	w.loop.Settle()
	stream.End()
	stream.End()
	if stream.Event("", []byte("late")) || stream.Comment() {
		t.Error("a stream that has ended takes more")
	}
	w.loop.Settle()
	wantReplies(t, p, `200 : ||event: message|data: {"a":1}||data: x|data: y||`, "200 POST next")
	s.wantLeft(t)
}

func TestHTTP_HandlerHearsOfAConnectionThatEndsBeforeItsResponse(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/mcp?later", "/mcp?stream"} {
		w, s := newSite(t)
		p := w.loop.Connect()
		p.Send(ask("POST", target, "x"), ask("POST", "/mcp", "y"))
		w.loop.Settle()
		s.want(t, "POST "+target+` "x"`)
		p.Reset()
		w.loop.Settle()
		s.wantLeft(t, "POST "+target+` "x"`)
		for _, kept := range s.kept {
			kept.Respond(200, nil, nil)
		}
		for _, stream := range s.streams {
			if stream.Event("", nil) {
				t.Error("a stream of a closed connection takes an event")
			}
		}
		w.loop.Settle()
		s.want(t)
		s.wantLeft(t)
	}
}

func TestHTTP_ClientThatSendsNoMoreIsAnswered(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp?later", "1"), ask("POST", "/mcp", "2"), ask("POST", "/mcp", "cut")[:40])
	p.CloseWrite()
	w.loop.Settle()
	wantReplies(t, p, "102")
	s.kept[0].Respond(200, nil, []byte("one"))
	w.loop.Settle()
	wantReplies(t, p, "200 one", "200 POST 2")
	if !p.Closed() {
		t.Error("still open")
	}
	s.wantLeft(t)
}

func TestHTTP_ClientThatIsGoneIsFoundOutWhileItsAnswerIsAwaited(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp?later", "1"))
	w.loop.Settle()
	p.CloseWrite()
	w.loop.Settle()
	wantReplies(t, p, "102")
	w.loop.Advance(time.Hour)
	w.loop.Settle()
	most := int(time.Hour/session.LastProbe) + 10
	if n := len(replies(p.Take())); n < most-20 || n > most {
		t.Errorf("%d probes in an hour, want about %d", n, most)
	}
	s.wantLeft(t)
	p.FailWrites(syscall.EPIPE)
	w.loop.Advance(session.LastProbe)
	w.loop.Settle()
	s.wantLeft(t, `POST /mcp?later "1"`)
}

func TestHTTP_ClientThatSendsNoMoreKeepsItsStream(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("GET", "/mcp?stream", ""))
	w.loop.Settle()
	p.CloseWrite()
	w.loop.Settle()
	s.streams[0].Event("", []byte("x"))
	s.streams[0].End()
	w.loop.Settle()
	wantReplies(t, p, "200 : ||data: x||")
	if !p.Closed() {
		t.Error("still open")
	}
}

func TestHTTP_IdleClientThatHangsUpIsClosed(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"", "POST /mcp HT", string(ask("POST", "/mcp", "body"))[:100]} {
		w, _ := newSite(t)
		p := w.loop.Connect()
		p.Send(ask("POST", "/mcp", "x"), []byte(sent))
		w.loop.Settle()
		p.CloseWrite()
		w.loop.Settle()
		wantReplies(t, p, "200 POST x")
		if !p.Closed() {
			t.Errorf("%q: still open", sent)
		}
	}
}

func TestHTTP_EveryWaitForTheClientHasADeadline(t *testing.T) {
	t.Parallel()
	const slow = "408 Request took too long close"
	whole := string(ask("POST", "/mcp", "body"))
	type wait struct {
		before, sent string
		want         []string
	}
	first := string(ask("POST", "/mcp", "x"))
	for name, c := range map[string]wait{
		"head of a first request": {"", whole[:20], nil},
		"body of a first request": {"", whole[:len(whole)-1], []string{slow}},
		"head":                    {first, whole[:20], []string{"200 POST x", slow}},
		"body":                    {first, whole[:len(whole)-1], []string{"200 POST x", slow}},
		"next request":            {first, "", []string{"200 POST x"}},
	} {
		limit := session.BodyTimeout
		switch {
		case strings.HasPrefix(name, "head"):
			limit = session.HandshakeTimeout
		case name == "next request":
			limit = session.IdleTimeout
		}
		w, s := newSite(t)
		p := w.loop.Connect()
		p.Send([]byte(c.before), []byte(c.sent))
		w.loop.Settle()
		w.loop.Advance(limit - 1)
		if p.Closed() || strings.Contains(string(p.Received()), " 408 ") {
			t.Errorf("%s: ended before its time", name)
		}
		w.loop.Advance(1)
		w.loop.Settle()
		wantReplies(t, p, c.want...)
		w.loop.Advance(session.LingerTimeout)
		if !p.Closed() {
			t.Errorf("%s: still open", name)
		}
		s.wantLeft(t)
	}
}

func TestHTTP_DripFedHeadIsEndedAllTheSame(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "x"))
	w.loop.Settle()
	for _, b := range []byte("POST /mcp H") {
		p.Send([]byte{b})
		w.loop.Settle()
		w.loop.Advance(session.HandshakeTimeout / 10)
	}
	w.loop.Settle()
	wantReplies(t, p, "200 POST x", "408 Request took too long close")
}

func TestHTTP_AnAnswerMayTakeAsLongAsItTakes(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp?later", "x"))
	w.loop.Settle()
	w.loop.Advance(10 * session.IdleTimeout)
	s.kept[0].Respond(200, nil, []byte("done"))
	w.loop.Settle()
	wantReplies(t, p, "200 done")
}

func TestHTTP_ReadsOnBehindARefusalSoThatItArrives(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "", "Content-Length: 99999999"))
	w.loop.Settle()
	if p.Closed() {
		t.Fatal("closed while the client may still send")
	}
	for range 10 {
		p.Send(make([]byte, 64<<10))
		w.loop.Settle()
	}
	if n := w.server.Buffered(1); n > 0 || p.Paused() {
		t.Errorf("%d bytes are kept, paused is %v", n, p.Paused())
	}
	p.CloseWrite()
	w.loop.Settle()
	if !p.Closed() {
		t.Error("still open")
	}
}

func TestHTTP_ReadsOnBehindTheLastResponseIfMoreCame(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	last := ask("POST", "/mcp", "1", "Connection: close")
	p.Send(append(last, ask("POST", "/mcp", "2")...))
	w.loop.Settle()
	wantReplies(t, p, "200 POST 1 close")
	s.want(t, `POST /mcp? "1"`)
	if p.Closed() {
		t.Error("closed while there is more to read")
	}
	w.loop.Advance(session.LingerTimeout)
	if !p.Closed() {
		t.Error("still open")
	}
}

func TestHTTP_ReadsNoFurtherThanItAnswers(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp?later", "x"))
	w.loop.Settle()
	next := ask("POST", "/mcp", strings.Repeat("y", 100))
	n := 4 * session.MaxHeld / len(next)
	p.Send(bytes.Repeat(next, n))
	w.loop.Settle()
	if kept := w.server.Buffered(1); !p.Paused() || kept > 4*session.MaxHeld {
		t.Errorf("paused is %v, %d bytes are kept", p.Paused(), kept)
	}
	s.kept[0].Respond(200, nil, nil)
	w.loop.Settle()
	if got := len(replies(p.Take())); got != n+1 || p.Paused() {
		t.Errorf("%d answers, paused is %v", got, p.Paused())
	}
}

func TestHTTP_ClientThatDoesNotReadIsNotServedFurther(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.SetWindow(window)
	p.Send(bytes.Repeat(ask("POST", "/mcp?big", ""), 20))
	w.loop.Settle()
	if n := p.Queued(); n > session.HighWater+2<<20 || !p.Paused() || len(s.asked) > 10 {
		t.Fatalf("%d bytes are unsent, paused is %v, %d requests ran", n, p.Paused(), len(s.asked))
	}
	p.SetWindow(-1)
	w.loop.Settle()
	if got := replies(p.Take()); len(got) != 20 || p.Paused() {
		t.Errorf("%d answers, paused is %v", len(got), p.Paused())
	}
}

func TestStream_ClientThatDoesNotReadLosesIt(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.SetWindow(window)
	p.Send(ask("GET", "/mcp?stream", ""))
	w.loop.Settle()
	event := bytes.Repeat([]byte("x"), 1<<20)
	sent := 0
	for s.streams[0].Event("", event) {
		if sent++; sent > 100 {
			t.Fatal("no end of it")
		}
		w.loop.Settle()
	}
	w.loop.Settle()
	if !p.Closed() || sent < session.HighWater>>20 {
		t.Errorf("closed is %v after %d events", p.Closed(), sent)
	}
	s.wantLeft(t, `GET /mcp?stream ""`)
}

func TestHTTP_StalledClientIsDropped(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.SetWindow(window)
	p.Send(ask("POST", "/mcp", strings.Repeat("x", 1<<20)))
	w.loop.Settle()
	reader := w.loop.Connect()
	reader.SetWindow(window)
	reader.Send(ask("POST", "/mcp", strings.Repeat("x", 1<<20)))
	w.loop.Settle()
	for range 3 {
		reader.Read(window)
		w.loop.Advance(interval)
		w.loop.Settle()
	}
	if !p.Closed() || reader.Closed() {
		t.Errorf("closed are %v and %v", p.Closed(), reader.Closed())
	}
}

func TestHTTP_StopEndsEveryResponse(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	var all []*peer
	for _, sent := range []string{"", string(ask("GET", "/mcp?stream", "")), string(ask("POST", "/mcp?later", "x")), "POST /mcp H"} {
		p := w.loop.Connect()
		p.Send(ask("POST", "/mcp", "x"), []byte(sent))
		w.loop.Settle()
		wait := "200 POST x"
		if !strings.HasPrefix(replies(p.Received())[0], wait) {
			t.Fatalf("%q", p.Received())
		}
		all = append(all, p)
	}
	stopped := false
	w.server.Stop(func() { stopped = true })
	w.loop.Settle()
	if !stopped {
		t.Fatal("not stopped")
	}
	wantReplies(t, all[0], "200 POST x")
	wantReplies(t, all[1], "200 POST x", "200 ")
	wantReplies(t, all[2], "200 POST x", "503 Server shutting down close")
	wantReplies(t, all[3], "200 POST x")
	if s.streams[0].Event("", nil) {
		t.Error("a stream outlives the server")
	}
}

func TestHTTP_ResponsesAreTheHandlersBytes(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	for _, size := range []int{0, 1, 4 << 10, 3 << 20} {
		p.Send(ask("POST", "/mcp?later", ""))
		w.loop.Settle()
		body := bytes.Repeat([]byte("x"), size)
		s.kept[len(s.kept)-1].Respond(200, nil, body)
		clear(body)
		w.loop.Settle()
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(p.Take())), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, bytes.Repeat([]byte("x"), size)) {
			t.Errorf("%d bytes of %d, %v", len(got), size, err)
		}
	}
}
