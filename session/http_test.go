// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/session"
)

func TestHTTP_IsToldFromTheWebSocketByTheRequest(t *testing.T) {
	t.Parallel()
	const unauthorized, noEndpoint = "401 A token is needed: Authorization: Bearer TOKEN", "404 WebSocket endpoint not found close"
	bad := func(reason string) string { return "400 Bad WebSocket upgrade request: " + reason + " close" }
	for _, c := range []struct{ request, want string }{
		{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", unauthorized},
		{"GET /?x=y HTTP/1.1\r\nHost: localhost\r\n\r\n", unauthorized},
		{"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", unauthorized},
		{"GET http://localhost/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", unauthorized},
		{"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", unauthorized},
		{"DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", unauthorized},
		{"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n", unauthorized},
		{"POST /messages?sessionId=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", unauthorized},
		{"BREW /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", unauthorized},
		{"POST /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n", unauthorized},
		{"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 GET "},
		{"GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403 Forbidden: the Host is not loopback (--allowed-host accepts it)"},
		{"GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n", "403 Forbidden: the Origin is not loopback"},
		{"GET /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n", bad("Missing or invalid Connection header")},
		{"GET /mcp HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Version: 13\r\n\r\n", bad("Missing or invalid Upgrade header")},
		{"GET /SSE HTTP/1.1\r\nHost: localhost\r\n\r\n", bad("Missing or invalid Upgrade header")},
		{"GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n", bad("Missing or invalid Upgrade header")},
		{"GET /mcp/ HTTP/1.1\r\nHost: localhost\r\n\r\n", bad("Missing or invalid Upgrade header")},
		{"GET /%6Dcp HTTP/1.1\r\nHost: localhost\r\n\r\n", bad("Missing or invalid Upgrade header")},
		{"POST /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n", noEndpoint},
		{"POST /mcp HTTP/1.0\r\nHost: localhost\r\n\r\n", noEndpoint},
		{"GET /mcp HTTP/2.0\r\nHost: localhost\r\n\r\n", noEndpoint},
		{"nonsense\r\n\r\n", noEndpoint},
		{"GET /mcp\r\n\r\n", noEndpoint},
		{" GET /mcp HTTP/1.1\r\n\r\n", noEndpoint},
		{"\r\nGET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", noEndpoint},
	} {
		w, _ := newSite(t)
		p := w.loop.Connect()
		p.Send([]byte(c.request))
		w.loop.Settle()
		wantReplies(t, p, c.want)
		if open := !strings.HasSuffix(c.want, "close"); open == p.Closed() {
			t.Errorf("%q: closed is %v", c.request, p.Closed())
		}
		w.want()
	}
}

func TestHTTP_UpgradesAsBeforeOnEveryPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/mcp", "/elsewhere"} {
		w, _ := newSite(t)
		p := w.loop.Connect()
		p.Send(request("GET / ", "GET "+path+" "), text("hello"))
		w.loop.Settle()
		w.want("open 1", "message 1 hello")
	}
}

func TestHTTP_WithoutAHandlerThereIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "x"))
	w.loop.Settle()
	wantReplies(t, p, "404 WebSocket endpoint not found close")
}

func TestHTTP_HandsOverWholeRequests(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp?a=b", "body"))
	w.loop.Settle()
	s.want(t, `POST /mcp?a=b "body"`)
	wantReplies(t, p, "200 POST body")
	p.Send([]byte("POST / HTTP/1.1\r\nHost: localhost\r\nX-Claude-Code-Ide-Authorization: " + token +
		"\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2;x\r\ndy\r\n0\r\nTrailer: x\r\n\r\n"))
	w.loop.Settle()
	s.want(t, `POST /? "body"`)
	wantReplies(t, p, "200 POST body")
	if p.Closed() || len(w.server.Clients()) != 0 {
		t.Errorf("closed is %v, %d clients", p.Closed(), len(w.server.Clients()))
	}
	w.want()
}

func TestHTTP_AnswersInOrder(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp?later", "1"), ask("POST", "/mcp?later", "2"), []byte("\r\n"), ask("POST", "/mcp", "3"))
	w.loop.Settle()
	s.want(t, `POST /mcp?later "1"`)
	s.kept[0].Respond(202, nil, nil)
	w.loop.Settle()
	s.want(t, `POST /mcp?later "2"`)
	wantReplies(t, p, "202 ")
	s.kept[1].Respond(200, nil, []byte("two"))
	s.kept[1].Respond(200, nil, []byte("too late"))
	w.loop.Settle()
	s.want(t, `POST /mcp? "3"`)
	wantReplies(t, p, "200 two", "200 POST 3")
	s.wantLeft(t)
}

func TestHTTP_ManyPipelinedRequestsShareTheLoop(t *testing.T) {
	t.Parallel()
	const n = 500
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(bytes.Repeat(ask("POST", "/mcp", "x"), n))
	for range n {
		before := len(s.asked)
		w.loop.Turn()
		if ran := len(s.asked) - before; ran > 2*session.MaxRun {
			t.Fatalf("%d ran in one turn", ran)
		}
	}
	w.loop.Settle()
	if got := replies(p.Take()); len(got) != n || len(s.asked) != n {
		t.Errorf("%d were asked, %d answered", len(s.asked), len(got))
	}
}

func TestHTTP_FaultsOfFramingAreAnsweredAndEndTheConnection(t *testing.T) {
	t.Parallel()
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n"
	smuggled := string(ask("POST", "/mcp", "smuggled"))
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"two lengths":          {head + "Content-Length: 5\r\nContent-Length: 0\r\n\r\n", 400},
		"two equal lengths":    {head + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", 400},
		"length and chunks":    {head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		"unknown coding":       {head + "Transfer-Encoding: gzip\r\n\r\n", 400},
		"no length":            {head + "\r\n", 411},
		"blank before a colon": {head + "Content-Length : 5\r\n\r\n", 400},
		"folded line":          {head + "X: a\r\n b\r\nContent-Length: 0\r\n\r\n", 400},
		"bare LF in a line":    {head + "X: a\nContent-Length: 5\r\n\r\n", 400},
		"bare LFs only":        {"POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n", 400},
		"NUL in a value":       {head + "X: \x00\r\nContent-Length: 0\r\n\r\n", 400},
		"NUL in a name":        {head + "X\x00: \r\nContent-Length: 0\r\n\r\n", 400},
		"no Host":              {"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 400},
		"two Hosts":            {head + "Host: localhost\r\nContent-Length: 0\r\n\r\n", 400},
		"bad chunk size":       {head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
		"chunk with bare LF":   {head + "Transfer-Encoding: chunked\r\n\r\n0\n\n", 400},
		"chunk over its size":  {head + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400},
		"length over limit":    {head + "Content-Length: 16777217\r\n\r\n", 413},
		"chunk over limit":     {head + "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413},
		"unknown expectation":  {head + "Expect: cake\r\nContent-Length: 0\r\n\r\n", 417},
	} {
		for _, before := range []string{"", string(ask("POST", "/mcp", "ok"))} {
			w, s := newSite(t)
			p := w.loop.Connect()
			p.Send([]byte(before), []byte(c.request), []byte(smuggled))
			w.loop.Settle()
			got := replies(p.Take())
			if last := got[len(got)-1]; !strings.HasPrefix(last, fmt.Sprint(c.status)) || !strings.HasSuffix(last, "close") {
				t.Errorf("%s: %q", name, got)
			}
			for _, asked := range s.asked {
				if strings.Contains(asked, "smuggled") {
					t.Errorf("%s: the handler was asked %q", name, s.asked)
				}
			}
			w.loop.Advance(session.LingerTimeout)
			w.loop.Settle()
			if !p.Closed() {
				t.Errorf("%s: still open", name)
			}
		}
	}
}

func TestHTTP_HeadOfBareLFsIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", string(ask("POST", "/mcp", "x"))} {
		w, _ := newSite(t)
		p := w.loop.Connect()
		p.Send([]byte(before), []byte("POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n"))
		w.loop.Settle()
		got := replies(p.Take())
		if len(got) == 0 || got[len(got)-1] != "400 Bad request: bare LF close" {
			t.Errorf("%q", got)
		}
	}
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.Send([]byte("GET /elsewhere HTTP/1.1\nHost: localhost\n\n"))
	w.loop.Settle()
	wantReplies(t, p)
}

func TestHTTP_HeadOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "ok"), ask("POST", "/mcp", "", "X: "+strings.Repeat("x", 16<<10)))
	w.loop.Settle()
	wantReplies(t, p, "200 POST ok", "431 Request head too large close")
	s.want(t, `POST /mcp? "ok"`)
}

func TestHTTP_RefusalOfAWholeRequestKeepsTheConnection(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	body := strings.Repeat("x", 1<<20)
	refused := strings.ReplaceAll(string(ask("POST", "/mcp", body)), "Bearer ", "Bearer not")
	p.Send([]byte(refused[:len(refused)-1]))
	w.loop.Settle()
	if n := w.server.Buffered(1); n > 0 || len(p.Received()) > 0 {
		t.Errorf("%d bytes of it are kept, %q", n, p.Received())
	}
	p.Send([]byte("x"))
	w.loop.Settle()
	resp := string(p.Received())
	if !strings.Contains(resp, "\r\nWWW-Authenticate: Bearer\r\n") {
		t.Errorf("%q", resp)
	}
	p.Send(ask("POST", "/mcp", "ok"))
	w.loop.Settle()
	wantReplies(t, p, "401 A token is needed: Authorization: Bearer TOKEN", "200 POST ok")
	s.want(t, `POST /mcp? "ok"`)
	if log := w.log.String(); strings.Contains(log, token) {
		t.Errorf("the log has the token: %s", log)
	}
	w.wantLines(slog.LevelWarn, "Rejected a request of client_1: A token is needed: Authorization: Bearer TOKEN")
}

func TestHTTP_ContinueIsAnsweredOnlyToARequestThatWillBeServed(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	whole := ask("POST", "/mcp", "body", "Expect: 100-continue")
	head := whole[:len(whole)-len("body")]
	p.Send(head)
	w.loop.Settle()
	wantReplies(t, p, "100")
	p.Send([]byte("body"))
	w.loop.Settle()
	wantReplies(t, p, "200 POST body")
	p.Send(ask("POST", "/mcp", "", "Expect: 100-continue"))
	w.loop.Settle()
	wantReplies(t, p, "200 POST ")
	s.asked = nil
	p.Send([]byte(strings.ReplaceAll(string(head), "Bearer ", "Bearer not")))
	w.loop.Settle()
	wantReplies(t, p, "401 A token is needed: Authorization: Bearer TOKEN close")
	s.want(t)
}

func TestHTTP_CloseIsKept(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "1"), ask("POST", "/mcp", "2", "Connection: close"))
	w.loop.Settle()
	wantReplies(t, p, "200 POST 1", "200 POST 2 close")
	if !p.Closed() {
		t.Error("still open")
	}
	s.want(t, `POST /mcp? "1"`, `POST /mcp? "2"`)
}

func TestHTTP_HeadHasNoBody(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("HEAD", "/mcp", ""))
	w.loop.Settle()
	if got := string(p.Take()); !strings.Contains(got, "\r\nContent-Length: 5\r\n") || !strings.HasSuffix(got, "\r\n\r\n") {
		t.Errorf("%q", got)
	}
	p.Send(ask("HEAD", "/mcp?stream", ""))
	w.loop.Settle()
	p.Send(ask("POST", "/mcp", "x"))
	w.loop.Settle()
	if got := string(p.Take()); !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(got, "\r\n\r\n") {
		t.Errorf("%q", got)
	}
}

func TestHTTP_DateIsTheLoopsInGMT(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "x"))
	w.loop.Settle()
	if want := "\r\nDate: " + w.loop.Now().UTC().Format(http.TimeFormat) + "\r\n"; !strings.Contains(string(p.Take()), want) {
		t.Errorf("no %q", want)
	}
}

func TestHTTP_HandlerThatPanicsCostsItsConnectionOnly(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	other := w.loop.Connect()
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp?panic", "secret"), ask("POST", "/mcp", "x"))
	other.Send(ask("POST", "/mcp", "x"))
	streaming := w.loop.Connect()
	streaming.Send(ask("GET", "/mcp?stream-panic", ""))
	w.loop.Settle()
	if !streaming.Closed() {
		t.Error("a stream that nobody writes stays open")
	}
	wantReplies(t, p, "500 Internal error close")
	wantReplies(t, other, "200 POST x")
	w.loop.Advance(session.LingerTimeout)
	if !p.Closed() || other.Closed() || strings.Contains(w.log.String(), "secret") {
		t.Errorf("closed are %v and %v; %s", p.Closed(), other.Closed(), w.log)
	}
	s.wantLeft(t, `GET /mcp?stream-panic ""`)
}

func TestHTTP_ConnectionCanStillBecomeAWebSocket(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "x"), request(), text("hello"))
	w.loop.Settle()
	w.want("open 1", "message 1 hello")
	if got := string(p.Take()); !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.Contains(got, "POST xHTTP/1.1 101 ") {
		t.Errorf("%q", got)
	}
}

func TestHTTP_ConnectionsHaveALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t, func(c *session.Config) { c.MaxHTTP, c.MaxClients = 2, 1 })
	w.connect()
	var all []*peer
	for range 3 {
		p := w.loop.Connect()
		p.Send(ask("POST", "/mcp", "x"))
		w.loop.Settle()
		all = append(all, p)
	}
	wantReplies(t, all[0], "200 POST x")
	wantReplies(t, all[1], "200 POST x")
	wantReplies(t, all[2], "503 Too many clients close")
	all[0].CloseWrite()
	w.loop.Settle()
	p := w.loop.Connect()
	p.Send(ask("POST", "/mcp", "x"))
	w.loop.Settle()
	wantReplies(t, p, "200 POST x")
}

// nameless is ask without the token.
func nameless(method, target, body string) []byte {
	return bytes.Replace(ask(method, target, body), []byte("Authorization: Bearer "+token+"\r\n"), nil, 1)
}

func TestHTTP_WhoeverHasNoTokenKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	w, _ := newSite(t, func(c *session.Config) { c.MaxHTTP = 2 })
	open := func(request []byte) *peer {
		p := w.loop.Connect()
		p.Send(request)
		w.loop.Settle()
		return p
	}
	health, refused := open(nameless("GET", "/health", "")), open(nameless("POST", "/mcp", "x"))
	wantReplies(t, health, "200 GET ")
	wantReplies(t, refused, "401 A token is needed: Authorization: Bearer TOKEN")
	first := open(ask("POST", "/mcp", "1"))
	wantReplies(t, first, "200 POST 1")
	if !health.Closed() || refused.Closed() {
		t.Errorf("closed are %v and %v, want the older", health.Closed(), refused.Closed())
	}
	request := ask("POST", "/mcp", "2")
	second := open(request[:40])
	if refused.Closed() {
		t.Error("made room before the request was seen")
	}
	second.Send(request[40:])
	w.loop.Settle()
	wantReplies(t, second, "200 POST 2")
	if !refused.Closed() {
		t.Error("made no room")
	}
	wantReplies(t, open(ask("POST", "/mcp", "3")), "503 Too many clients close")
	wantReplies(t, open(nameless("GET", "/health", "")), "503 Too many clients close")
	if first.Closed() || second.Closed() {
		t.Error("a client with the token made room")
	}
}

func TestHTTP_WhoeverHasNoTokenDoesNotStay(t *testing.T) {
	t.Parallel()
	body := nameless("POST", "/mcp", "body")
	for name, c := range map[string]struct {
		sent []byte
		want []string
	}{
		"health":          {nameless("GET", "/health", ""), []string{"200 GET "}},
		"no token":        {body, []string{"401 A token is needed: Authorization: Bearer TOKEN"}},
		"half a body":     {body[:len(body)-1], []string{"408 Request took too long close"}},
		"health and then": {append(nameless("GET", "/health", ""), "GET "...), []string{"200 GET ", "408 Request took too long close"}},
	} {
		w, _ := newSite(t)
		p := w.loop.Connect()
		p.Send(c.sent)
		w.loop.Settle()
		w.loop.Advance(session.HandshakeTimeout - 1)
		if p.Closed() {
			t.Errorf("%s: ended before its time", name)
		}
		w.loop.Advance(1)
		w.loop.Settle()
		w.loop.Advance(session.LingerTimeout)
		wantReplies(t, p, c.want...)
		if !p.Closed() {
			t.Errorf("%s: still open", name)
		}
	}
	w, _ := newSite(t)
	p := w.loop.Connect()
	p.Send(ask("GET", "/health", ""), nameless("GET", "/health", ""))
	w.loop.Settle()
	w.loop.Advance(session.IdleTimeout - 1)
	if p.Closed() {
		t.Error("a client that presented the token once must not wait for long")
	}
}

func TestHTTP_ConnectionsAreListed(t *testing.T) {
	t.Parallel()
	w, s := newSite(t)
	w.connect()
	idle := w.loop.Connect()
	idle.Send(ask("POST", "/mcp", "x"))
	w.loop.Settle()
	since := w.loop.Now()
	w.loop.Advance(time.Second)
	w.loop.Connect().Send(ask("POST", "/mcp?later", "x"))
	w.loop.Settle()
	want := []session.HTTPInfo{{Number: 2, Since: since}, {Number: 3, Since: since.Add(time.Second), Busy: true}}
	if diff := cmp.Diff(want, w.server.HTTPClients()); diff != "" {
		t.Error(diff)
	}
	s.kept[0].Respond(200, nil, nil)
	idle.CloseWrite()
	w.loop.Settle()
	want = []session.HTTPInfo{{Number: 3, Since: since.Add(time.Second)}}
	if diff := cmp.Diff(want, w.server.HTTPClients()); diff != "" {
		t.Error(diff)
	}
}
