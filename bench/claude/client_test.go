// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
)

const (
	helloReply = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},` +
		`"serverInfo":{"name":"n","version":"1"}}}`
	toolsReply = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","description":"d","inputSchema":{"type":"object"}}]}}`
)

func TestStart_SpeaksAsTheRealClient(t *testing.T) {
	t.Parallel()
	said := make(chan []string, 1)
	c := dial(t, func(p *peer) {
		p.upgrade()
		messages := []string{p.readText()}
		p.text(helloReply)
		// The three that follow must come before anything is answered.
		messages = append(messages, p.readText(), p.readText(), p.readText())
		p.text(toolsReply)
		messages = append(messages, p.readText())
		p.text(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[]"}]}}`)
		said <- messages
		p.drain()
	}, Options{})
	hello, tools, err := c.Start(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if hello.ServerInfo.Name != "n" || len(tools) != 1 || tools[0].Name != "a" {
		t.Errorf("got %v, %v", hello, tools)
	}
	result, err := c.Call(within(t), "getDiagnostics", map[string]string{"uri": "file:///a&b"})
	if text, _ := result.Text(); err != nil || text != "[]" {
		t.Errorf("got %v, %v", result, err)
	}
	want := []string{
		`{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},` +
			`"extensions":{"io.modelcontextprotocol/tasks":{}},"roots":{"listChanged":true}},` +
			`"clientInfo":{"description":"Anthropic's agentic coding tool","name":"claude-code","title":"Claude Code",` +
			`"version":"2.1.332","websiteUrl":"https://claude.com/claude-code"}},"jsonrpc":"2.0","id":0}`,
		`{"method":"notifications/initialized","jsonrpc":"2.0"}`,
		fmt.Sprintf(`{"method":"ide_connected","params":{"pid":%d},"jsonrpc":"2.0"}`, os.Getpid()),
		`{"method":"tools/list","jsonrpc":"2.0","id":1}`,
		`{"method":"tools/call","params":{"name":"getDiagnostics","arguments":{"uri":"file:///a&b"},` +
			`"_meta":{"progressToken":2}},"jsonrpc":"2.0","id":2}`,
	}
	if diff := cmp.Diff(want, <-said); diff != "" {
		t.Error(diff)
	}
}

func TestStart_AsksForPromptsIfTheServerHasAny(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	c := dial(t, func(p *peer) {
		p.upgrade()
		p.readText()
		p.text(strings.Replace(helloReply, `"tools":{}`, `"prompts":{},"tools":{}`, 1))
		for range 3 {
			p.readText()
		}
		// It does not wait for the list of tools either.
		asked <- p.readText()
		p.text(`{"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}`)
		p.text(toolsReply)
		p.drain()
	}, Options{})
	if _, tools, err := c.Start(within(t)); err != nil || len(tools) != 1 {
		t.Errorf("%v, %v", tools, err)
	}
	if got := <-asked; got != `{"method":"prompts/list","jsonrpc":"2.0","id":2}` {
		t.Errorf("asked %s", got)
	}
}

func TestStart_RefusesWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, replies := range map[string][]string{
		"unknown protocol version": {strings.Replace(helloReply, "2024-11-05", "2099-01-01", 1)},
		"no name":                  {strings.Replace(helloReply, `"n"`, `""`, 1)},
		"no jsonrpc":               {strings.Replace(helloReply, `"jsonrpc":"2.0",`, "", 1)},
		"a batch":                  {"[" + helloReply + "]"},
		"not JSON":                 {"hello"},
		"an id nobody used":        {strings.Replace(helloReply, `"id":0`, `"id":7`, 1)},
		"a string for the id":      {strings.Replace(helloReply, `"id":0`, `"id":"0"`, 1)},
		"neither result nor error": {`{"jsonrpc":"2.0","id":0}`},
		"both result and error":    {strings.Replace(helloReply, `"result"`, `"error":{"code":1,"message":"m"},"result"`, 1)},
		"answered twice":           {helloReply, helloReply},
		"no schema":                {helloReply, strings.Replace(toolsReply, `{"type":"object"}`, "null", 1)},
		"another schema":           {helloReply, strings.Replace(toolsReply, `"object"`, `"array"`, 1)},
		"no tool name":             {helloReply, strings.Replace(toolsReply, `"a"`, `""`, 1)},
		"tools of another type":    {helloReply, `{"jsonrpc":"2.0","id":1,"result":{"tools":7}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, func(p *peer) {
				p.upgrade()
				p.readText()
				p.text(replies[0])
				for range len(replies[1:]) {
					p.readText()
					p.readText()
					p.readText()
					p.text(replies[1])
				}
				p.drain()
			}, Options{})
			if _, _, err := c.Start(within(t)); !errors.Is(err, ErrProtocol) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCall_ReportsJSONRPCErrors(t *testing.T) {
	t.Parallel()
	c := dial(t, func(p *peer) {
		p.upgrade()
		p.readText()
		p.text(`{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Tool not found: x","data":"d"}}`)
		p.drain()
	}, Options{})
	_, err := c.Call(within(t), "x", nil)
	var failed *RPCError
	if !errors.As(err, &failed) || failed.Code != -32601 || failed.Error() != `Tool not found: x (-32601): "d"` {
		t.Errorf("got %v", err)
	}
}

func TestCall_ThatWasLeftDropsItsAnswer(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	c := dial(t, func(p *peer) {
		p.upgrade()
		p.readText()
		close(left)
		p.readText()
		for id := range 2 {
			p.text(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
		}
		p.drain()
	}, Options{})
	ctx, cancel := context.WithCancel(within(t))
	go func() {
		<-left
		cancel()
	}()
	var nothing struct{}
	if err := c.Request(ctx, "ping", nil, &nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := c.Request(within(t), "ping", nil, &nothing); err != nil {
		t.Error(err)
	}
}

func TestClient_AnswersTheServersRequests(t *testing.T) {
	t.Parallel()
	answers := make(chan []string, 1)
	c := dial(t, func(p *peer) {
		p.upgrade()
		var got []string
		for _, ask := range []string{
			`{"jsonrpc":"2.0","id":"p","method":"ping"}`,
			`{"jsonrpc":"2.0","id":9,"method":"roots/list"}`,
			`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`,
		} {
			p.text(ask)
			got = append(got, p.readText())
		}
		answers <- got
		p.drain()
	}, Options{Root: "/a b"})
	want := []string{
		`{"jsonrpc":"2.0","id":"p","result":{}}`,
		`{"jsonrpc":"2.0","id":9,"result":{"roots":[{"uri":"file:///a b"}]}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`,
	}
	if diff := cmp.Diff(want, <-answers); diff != "" {
		t.Error(diff)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

func TestClient_HandsOverNotificationsAndTracesAll(t *testing.T) {
	t.Parallel()
	notified, traced := make(chan string, 1), make(chan Event, 2)
	c := dial(t, func(p *peer) {
		p.upgrade()
		p.readText()
		p.text(`{"jsonrpc":"2.0","method":"selection_changed","params":{"text":"x"}}`)
		p.drain()
	}, Options{
		Notification: func(method string, params json.RawMessage) { notified <- method + string(params) },
		Trace:        func(e Event) { traced <- e },
	})
	if err := c.Notify("ide_connected", nil); err != nil {
		t.Fatal(err)
	}
	if got := <-notified; got != `selection_changed{"text":"x"}` {
		t.Errorf("got %s", got)
	}
	if first, second := <-traced, <-traced; first.FromServer || !second.FromServer {
		t.Errorf("got %v, %v", first, second)
	}
}

func TestClose_SendsACloseWithoutACode(t *testing.T) {
	t.Parallel()
	bodies := make(chan ws.Frame, 1)
	c := dial(t, func(p *peer) {
		p.upgrade()
		frame := p.read()
		bodies <- frame
		p.frame(ws.NewCloseFrame(nil))
		p.drain()
	}, Options{})
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if frame := <-bodies; frame.Header.OpCode != ws.OpClose || len(frame.Payload) != 0 {
		t.Errorf("got %v", frame)
	}
}

func TestClose_ReportsAServerThatOnlyHungUp(t *testing.T) {
	t.Parallel()
	c := dial(t, func(p *peer) {
		p.upgrade()
		p.read()
	}, Options{})
	if err := c.Close(); err == nil {
		t.Error("no error although the server sent no Close frame")
	}
}
