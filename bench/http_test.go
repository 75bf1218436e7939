// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"claudecoded/test/nvimtest"
)

const (
	// callsPerRound is how often each way of calling has its turn in one run.
	callsPerRound = 300
	// tools are one that answers at once and one that answers after 5 ms, and how to call
	// them without the daemon: what comes of it is told to the channel.
	tools = `
		local tools = require("mcp-tools")
		tools.register({ name = "now", description = "At once", execute = function(cb) cb("done") end })
		tools.register({ name = "later", description = "After 5 ms", execute = function(cb)
			vim.defer_fn(function() cb("done") end, 5)
		end })
		function _G.call_tool(channel, name)
			local tell = function() vim.rpcnotify(channel, "done") end
			local started = require("mcp-tools.registry").execute(name, {}, { on_done = tell })
			if started.done then tell() end
		end`
)

// session is an MCP session over Streamable HTTP.
type session struct {
	url, token, id string
}

// post sends a message and returns the answer's body.
func (s *session) post(text string) (string, error) {
	r, err := http.NewRequest(http.MethodPost, s.url, bytes.NewBufferString(text))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+s.token)
	if s.id != "" {
		r.Header.Set("Mcp-Session-Id", s.id)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if reply.StatusCode >= http.StatusBadRequest {
		return "", fmt.Errorf("%s: %s", reply.Status, body)
	}
	s.id = reply.Header.Get("Mcp-Session-Id") + s.id
	return string(body), err
}

func (s *session) call(tool string) error {
	body, err := s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_` + tool + `","arguments":{}}}`)
	if want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`; err == nil && body != want {
		err = fmt.Errorf("answered %s", body)
	}
	return err
}

// BenchmarkTool measures how long a call of a tool takes over HTTP, and the same call made
// by go-client without the daemon, in turn: one that answers at once, and one whose
// callback runs after 5 ms. The medians count; ratio is that of them.
func BenchmarkTool(b *testing.B) {
	eachNeovim(b, func(b *testing.B, binaryOfNvim string) {
		v := nvimtest.Start(b, nvimtest.Options{Nvim: binaryOfNvim})
		var server struct {
			Port  int    `msgpack:"port"`
			Token string `msgpack:"token"`
		}
		const answer = `local s = require("claudecode").state return { port = s.port, token = s.auth_token }`
		if err := v.ExecLua(served(b)+tools+"\n"+answer, &server); err != nil {
			b.Fatal(err)
		}
		direct := goClient(b, v)
		s := &session{url: fmt.Sprintf("http://127.0.0.1:%d/mcp", server.Port), token: server.Token}
		if _, err := s.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
			`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`); err != nil {
			b.Fatal(err)
		}
		if _, err := s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
			b.Fatal(err)
		}
		nvimtest.Eventually(b, "the tools are known", func() bool { return s.call("later") == nil })
		for _, tool := range []string{"now", "later"} {
			var daemon, alone []time.Duration
			for range b.N * callsPerRound {
				daemon = append(daemon, timed(b, func() error { return s.call(tool) }))
				alone = append(alone, timed(b, func() error { return direct(tool) }))
			}
			b.ReportMetric(median(daemon)*1000, tool+"-http-µs")
			b.ReportMetric(median(alone)*1000, tool+"-direct-µs")
			b.ReportMetric(median(daemon)/median(alone), tool+"-ratio")
		}
		b.ReportMetric(0, "ns/op")
		http.DefaultClient.CloseIdleConnections()
	})
}

// goClient calls a tool through go-client and waits for its end.
func goClient(b *testing.B, v *nvim.Nvim) func(tool string) error {
	b.Helper()
	ended := make(chan struct{}, 1)
	if err := v.RegisterHandler("done", func(...any) { ended <- struct{}{} }); err != nil {
		b.Fatal(err)
	}
	return func(tool string) error {
		err := v.ExecLua(`call_tool(...)`, nil, v.ChannelID(), tool)
		<-ended
		return err
	}
}

func timed(b *testing.B, f func() error) time.Duration {
	b.Helper()
	began := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
