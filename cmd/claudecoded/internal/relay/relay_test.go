// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"claudecoded/mcp"
	"claudecoded/test/rig"
)

func TestRelay_HandsOnBothErasAndKeepsIDsAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, d)
	if answer := s.greet(); !strings.Contains(answer, `"protocolVersion":"2025-11-25"`) || idOf(t, answer) != "0" {
		t.Errorf("initialize: %s", answer)
	}
	for _, id := range []string{`0`, `""`, `1.5`, `9007199254740993`, `"x"`, `"\u0041"`, `-1`} {
		for _, line := range []string{
			toolCall(id, "nvim_repeat", `{"n":3}`),
			alone(id, "tools/call", `"name":"nvim_repeat","arguments":{"n":3}`),
		} {
			s.send(line)
			if got := s.next(); idOf(t, got) != id || !strings.Contains(got, `"rrr"`) {
				t.Errorf("%s: %s", line, got)
			}
		}
	}
	s.send(alone("1", "server/discover", ""))
	if got := s.next(); !strings.Contains(got, "supportedVersions") {
		t.Errorf("server/discover: %s", got)
	}
	s.silent()
}

func TestRelay_AnswersWhatTheServerRefuses(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, d)
	s.greet()
	for name, test := range map[string]struct{ line, want string }{
		"no JSON":                   {`{"jsonrpc":`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`},
		"two values":                {`{} {}`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`},
		"a number":                  {`7`, `"code":-32600`},
		"no method":                 {`{"jsonrpc":"2.0","id":1}`, `"code":-32600`},
		"a member of another case":  {`{"jsonrpc":"2.0","id":1,"Method":"ping"}`, `"code":-32600`},
		"unknown method":            {`{"jsonrpc":"2.0","id":"u","method":"nope"}`, `"id":"u","error":{"code":-32601`},
		"unknown tool":              {toolCall("2", "nvim_nope", "{}"), `"id":2,"error":{"code":-32602`},
		"unknown method, no era":    {alone("3", "nope", ""), `"id":3,"error":{"code":-32601`},
		"a revision that is none":   {strings.Replace(alone("4", "tools/list", ""), "2026-07-28", "2027-01-01", 1), `"id":4,"error":{"code":-32022`},
		"a batch where there is no": {`[` + toolCall("5", "nvim_repeat", `{"n":1}`) + `]`, `[{"jsonrpc":"2.0","id":5,"error":{"code":-32600`},
		"a tool's name in Chinese":  {alone("6", "tools/call", `"name":"工具","arguments":{}`), `"id":6,"error":{"code":-32602`},
	} {
		s.send("", test.line+"\r")
		if got := s.next(); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.silent()
}

func TestRelay_HandsOnABatchAsOne(t *testing.T) {
	t.Parallel()
	s := start(t, rig.Start(t, rig.Config{}))
	s.send(strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
	s.next()
	s.send("[" + toolCall("1", "nvim_repeat", `{"n":1}`) + "," + toolCall(`"b"`, "nvim_repeat", `{"n":2}`) + "]")
	got := s.next()
	for _, part := range []string{`[{`, `"id":1,`, `"id":"b",`, `"rr"`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	s.silent()
}

func TestRelay_ServesRequestsAtOnceAndCancelsThemInBothEras(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(id string) string{
		"with a session": func(id string) string { return toolCall(id, "nvim_openDiff", `{}`) },
		"without":        func(id string) string { return alone(id, "tools/call", `"name":"nvim_openDiff","arguments":{}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := rig.Start(t, rig.Config{})
			s := start(t, d)
			s.greet()
			s.send(ask(`"diff"`), ask("8"))
			openDiffs(t, d, 2)
			s.send(toolCall("9", "nvim_repeat", `{"n":1}`))
			if got := s.next(); idOf(t, got) != "9" {
				t.Errorf("%s", got)
			}
			cancel := func(id string) {
				s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"user"}}`)
			}
			cancel("9") // is over
			cancel("8")
			openDiffs(t, d, 1)
			cancel(`"diff"`)
			openDiffs(t, d, 0)
			s.silent()
			s.send(ask("10")) // a cancellation may come before the server has its request
			cancel("10")
			openDiffs(t, d, 0)
			s.silent()
		})
	}
}

func TestRelay_HandsOnProgress(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, d)
	s.greet()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_openDiff","arguments":{},"_meta":{"progressToken":"p"}}}`)
	openDiffs(t, d, 1)
	d.Do(t, func() {
		for token := uint64(0); token < 1<<16; token++ {
			d.Protocol.Progress(token, 1, 2, "half")
		}
	})
	if got := s.next(); !strings.Contains(got, `"progressToken":"p"`) || !strings.Contains(got, `"half"`) {
		t.Errorf("%s", got)
	}
}

// mirror is a server that answers a call with as many bytes as that has.
func mirror(t *testing.T) *Endpoint {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":"%s"}`, bytes.Repeat([]byte("m"), len(body)))
	}))
	t.Cleanup(server.Close)
	return &Endpoint{Port: server.Listener.Addr().(*net.TCPAddr).Port, Token: rig.Token}
}

func TestRelay_CarriesBigMessages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.at.Store(mirror(t))
	line := toolCall("1", "nvim_big", `{"more":"`+strings.Repeat("m", 12<<20)+`"}`)
	s.send(line)
	if got := s.next(); !strings.Contains(got, strings.Repeat("m", len(line))) {
		t.Errorf("%d bytes", len(got))
	}
}

// The server refuses it from its head, without an id.
func TestRelay_SaysWhichMessageIsTooBigForTheServer(t *testing.T) {
	t.Parallel()
	s := start(t, rig.Start(t, rig.Config{}))
	s.greet()
	s.send(toolCall("3", "nvim_repeat", `{"n":1,"more":"`+strings.Repeat("m", 17<<20)+`"}`))
	if got := s.next(); idOf(t, got) != "3" || !strings.Contains(got, `"error"`) {
		t.Errorf("%.100s", got)
	}
	s.silent()
}

func TestLine_IsBounded(t *testing.T) {
	t.Parallel()
	in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 100)+"\nnext\r\nlast"), 16)
	if _, err := readLine(in, 50); !errors.Is(err, errTooLong) {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"next", "last"} {
		if got, err := readLine(in, 50); err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := readLine(in, 50); err != io.EOF {
		t.Errorf("%v", err)
	}
	in = bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 60)+"\nnext\n"), 64)
	if _, err := readLine(in, 50); !errors.Is(err, errTooLong) {
		t.Errorf("%v", err)
	}
	if got, err := readLine(in, 50); err != nil || string(got) != "next" {
		t.Errorf("%q, %v behind a line that is too long and was read to its end", got, err)
	}
	if err := readEvents(strings.NewReader("data: "+strings.Repeat("x", maxAnswer)+"\n\n"), func([]byte) {}); !errors.Is(err, errTooLong) {
		t.Errorf("%v", err)
	}
}

func TestFieldValue_IsEncodedUnlessItIsPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"nvim_x": "nvim_x", "a b": "a b", " a": "=?base64?IGE=?=", "工": "=?base64?5bel?=", "a\nb": "=?base64?YQpi?=",
		"=?base64?YQ==?=": "=?base64?PT9iYXNlNjQ/WVE9PT89?=",
	} {
		if got := fieldValue(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestEvents_AreReadHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	var got [][]byte
	err := readEvents(strings.NewReader(": comment\n\nevent: message\r\ndata: {\"a\":1}\r\n\r\ndata:x\ndata: y\n\nid: 1\n\ndata: unfinished\n"),
		func(data []byte) { got = append(got, data) })
	if want := [][]byte{[]byte(`{"a":1}`), []byte("x\ny")}; err != nil || !bytes.Equal(bytes.Join(got, []byte("|")), bytes.Join(want, []byte("|"))) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestRelay_RefusesRequestsThatAreTooManyOrHaveAnIDInUse(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, d)
	s.greet()
	s.send(toolCall("0", "nvim_openDiff", `{}`))
	s.send(toolCall("0", "nvim_repeat", `{"n":1}`))
	// With the id it would be the answer to the first.
	if got := s.next(); idOf(t, got) != "" || !strings.Contains(got, errTwice.Error()) {
		t.Errorf("%s", got)
	}
	for i := 1; i < maxInFlight; i++ {
		s.send(toolCall(strconv.Itoa(i), "nvim_openDiff", `{}`))
	}
	s.send(toolCall(`"more"`, "nvim_repeat", `{"n":1}`))
	if got := s.next(); idOf(t, got) != `"more"` || !strings.Contains(got, errBusy.Error()) {
		t.Errorf("%s", got)
	}
	s.silent()
}

func TestRelay_TellsThatTheToolsChanged(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, d)
	s.greet()
	s.send(alone(`"sub"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	if got := s.next(); !strings.Contains(got, "acknowledged") {
		t.Errorf("%s", got)
	}
	d.Do(t, func() {
		d.Protocol.SetCatalogue([]mcp.Tool{{Name: "new", InputSchema: []byte(`{"type":"object"}`)}})
	})
	first, second := s.next(), s.next()
	if strings.Contains(first, "subscriptionId") {
		first, second = second, first
	}
	if !changed(first) || !strings.Contains(second, `"io.modelcontextprotocol/subscriptionId":"sub"`) {
		t.Errorf("%s and %s", first, second)
	}
	s.silent()
}

func TestRelay_EndOfInputEndsWhatItBegan(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, d)
	s.greet()
	s.send(toolCall("1", "nvim_openDiff", `{}`), alone("2", "tools/call", `"name":"nvim_openDiff","arguments":{}`),
		alone("3", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	openDiffs(t, d, 2)
	s.end()
	openDiffs(t, d, 0)
}

// What is due when the input ends is still answered, as for a client that is a pipe.
func TestRelay_EndOfInputComesAfterTheAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, rig.Start(t, rig.Config{}))
	s.greet()
	for i := range 20 {
		s.send(toolCall(strconv.Itoa(i), "nvim_repeat", `{"n":1}`))
	}
	s.end()
	n := 0
	for line := range s.lines {
		if strings.Contains(line, `"r"`) {
			n++
		}
	}
	if n != 20 {
		t.Errorf("%d answers", n)
	}
}
