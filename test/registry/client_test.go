// Copyright (c) 2026 the claudecoded authors. MIT license.

package registry

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// scene is an editor whose server runs.
type scene struct {
	t    *testing.T
	e    *stage.Editor
	lock claude.Lock
}

// client is one of MCP over HTTP, which reads what comes as it comes.
type client struct {
	s        *scene
	http     *http.Client
	revision string
	session  string
	lastID   int
}

// client begins a session, in a revision that has them.
func (s *scene) client(revision string) *client {
	s.t.Helper()
	transport := &http.Transport{}
	s.t.Cleanup(transport.CloseIdleConnections)
	c := &client{s: s, http: &http.Client{Transport: transport}, revision: revision}
	if c.sessions() {
		c.ask("initialize", fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}`, revision)).result()
	}
	return c
}

func (c *client) sessions() bool { return c.revision != revisions[len(revisions)-1] }

// answer is the response to one request.
type answer struct {
	c      *client
	id     int
	status int
	body   *bufio.Scanner
	close  func()
	// notes are the notifications that came so far.
	notes []note
}

type note struct {
	Method string
	Params struct {
		Progress, Total float64
		Message         string
	}
}

// reply is a JSON-RPC response.
type reply struct {
	ID     int
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// ask sends a request with the members of params; header are fields and their values.
func (c *client) ask(method, params string, header ...string) *answer {
	c.s.t.Helper()
	c.lastID++
	if !c.sessions() {
		params = strings.Join(slices.DeleteFunc([]string{params, statelessMeta(params)}, func(s string) bool { return s == "" }), ",")
		header = append(header, "Mcp-Method", method)
	}
	return c.send(c.lastID, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.lastID, method, params), header)
}

// statelessMeta is what a request without a session says of itself.
func statelessMeta(params string) string {
	const claim = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	if strings.Contains(params, wantProgress) {
		return "" // it is in there
	}
	return `"_meta":{` + claim + `}`
}

// wantProgress marks the _meta of a call that asks for progress.
const wantProgress = `"progressToken"`

func (c *client) send(id int, body string, header []string) *answer {
	c.s.t.Helper()
	ctx, cancel := context.WithCancel(stage.Within(c.s.t))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url(), strings.NewReader(body))
	if err != nil {
		c.s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	c.fill(request)
	response, err := c.http.Do(request)
	if err != nil {
		c.s.t.Fatal(err)
	}
	leave := func() {
		cancel()
		_ = response.Body.Close()
	}
	c.s.t.Cleanup(leave)
	if given := response.Header.Get("Mcp-Session-Id"); given != "" {
		c.session = given
	}
	return &answer{c: c, id: id, status: response.StatusCode, body: newLines(response.Body), close: leave}
}

// newLines reads lines of any length that an answer may have.
func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	return lines
}

func (c *client) url() string { return fmt.Sprintf("http://127.0.0.1:%d/mcp", c.s.lock.Port) }

func (c *client) fill(request *http.Request) {
	request.Header.Set("Authorization", "Bearer "+c.s.lock.AuthToken)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		request.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.session != "" || !c.sessions() {
		request.Header.Set("MCP-Protocol-Version", c.revision)
	}
}

// call asks for a tool with arguments in JSON.
func (c *client) call(tool, arguments string, header ...string) *answer {
	c.s.t.Helper()
	if !c.sessions() {
		header = append(header, "Mcp-Name", tool)
	}
	return c.ask("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments), header...)
}

// callWithProgress is call that asks for progress.
func (c *client) callWithProgress(tool, arguments string) *answer {
	c.s.t.Helper()
	meta := `"_meta":{"progressToken":"p"}`
	var header []string
	if !c.sessions() {
		meta = strings.Replace(statelessMeta(""), `{`, `{`+wantProgress+`:"p",`, 1)
		header = []string{"Mcp-Name", tool}
	}
	return c.ask("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s,%s`, tool, arguments, meta), header...)
}

// notify sends a notification.
func (c *client) notify(method, params string) {
	c.s.t.Helper()
	a := c.send(0, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, params), nil)
	if a.close(); a.status != http.StatusAccepted {
		c.s.t.Fatalf("%s: %d", method, a.status)
	}
}

// next is the next message of the response, or nil at its end.
func (a *answer) next() []byte {
	for a.body.Scan() {
		line := bytes.TrimPrefix(a.body.Bytes(), []byte("data: "))
		if bytes.HasPrefix(line, []byte("{")) {
			return line
		}
	}
	return nil
}

// reply reads to the answer's end.
func (a *answer) reply() reply {
	a.c.s.t.Helper()
	defer a.close()
	for line := a.next(); line != nil; line = a.next() {
		var n note
		if err := json.Unmarshal(line, &n); err != nil {
			a.c.s.t.Fatal(err)
		}
		if n.Method != "" {
			a.notes = append(a.notes, n)
			continue
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil || a.status == http.StatusOK && r.ID != a.id {
			a.c.s.t.Fatalf("%s, %v", line, err)
		}
		return r
	}
	return reply{}
}

// result is the result of a request that does not fail, without what says that it is one.
func (a *answer) result() string {
	a.c.s.t.Helper()
	r := a.reply()
	if r.Error != nil || r.Result == nil {
		a.c.s.t.Fatalf("%d %+v", a.status, r.Error)
	}
	return strings.Replace(string(r.Result), `"resultType":"complete",`, "", 1)
}

// text is the text of a result with one block.
func (a *answer) text() string {
	a.c.s.t.Helper()
	return textOf(a.c.s.t, a.result())
}

// eventually waits until Lua code returns true.
func (s *scene) eventually(code string) {
	s.t.Helper()
	nvimtest.Eventually(s.t, code, func() (ok bool) {
		s.e.Lua(&ok, "return "+code)
		return ok
	})
}

// sorted is JSON text with the names of objects in order.
func sorted(text string) string {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	b, _ := json.Marshal(value)
	return string(b)
}

// textOf is the text of a result with one block.
func textOf(t *testing.T, result string) string {
	t.Helper()
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal([]byte(result), &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("%s, %v", result, err)
	}
	return r.Content[0].Text
}
