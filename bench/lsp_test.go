// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
)

//go:embed lsp.lua
var lspTools string

// httpCaller calls tools over HTTP.
type httpCaller struct {
	url, token, session string
}

func (c *httpCaller) post(b *testing.B, method, params string) string {
	b.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return string(text)
}

// BenchmarkLSP measures what asking a language server costs Neovim, whose answer has
// 10 000 places: a tool over HTTP, and the same request made in Lua whose answer becomes
// JSON as it is, in turn. nvim-ms and direct-ms are the medians of Neovim's processor time.
// hold-ms is the median of the longest that each call of the tool kept Neovim's thread in
// one go, worst-ms the longest of all: that of a call in which Lua collects its garbage.
func BenchmarkLSP(b *testing.B) {
	eachNeovim(b, func(b *testing.B, binaryOfNvim string) {
		v := nvimtest.Start(b, nvimtest.Options{Nvim: binaryOfNvim})
		var server struct {
			Port  int    `msgpack:"port"`
			Token string `msgpack:"token"`
		}
		const answer = ` local s = require("claudecode").state return { port = s.port, token = s.auth_token }`
		if err := v.ExecLua(served(b)+answer, &server); err != nil {
			b.Fatal(err)
		}
		if err := v.ExecLua(`L = load((...))()`, nil, lspTools); err != nil {
			b.Fatal(err)
		}
		client := &httpCaller{url: fmt.Sprintf("http://127.0.0.1:%d/mcp", server.Port), token: server.Token}
		client.post(b, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
		for _, c := range []struct{ name, method, want string }{
			{"hover", "textDocument/hover", "func f()"},
			{"references", "textDocument/references", "9900 more"},
			{"symbols", "textDocument/documentSymbol", "9900 more"},
		} {
			b.Run(c.name, func(b *testing.B) {
				var tool, direct, holds []time.Duration
				longest := func() time.Duration {
					var ms float64
					if err := v.ExecLua(`return L.longest()`, &ms); err != nil {
						b.Fatal(err)
					}
					return time.Duration(ms * float64(time.Millisecond))
				}
				timed := func(f func()) time.Duration {
					before := processorTime(b, v)
					f()
					return time.Duration((processorTime(b, v) - before) * float64(time.Microsecond))
				}
				longest()
				for b.Loop() {
					tool = append(tool, timed(func() {
						text := client.post(b, "tools/call", fmt.Sprintf(`{"name":"nvim_lsp_%s","arguments":{}}`, c.name))
						if !strings.Contains(text, c.want) {
							b.Fatal(text)
						}
					}))
					holds = append(holds, longest())
					direct = append(direct, timed(func() {
						if err := v.ExecLua(`return L.direct(...)`, nil, c.method); err != nil {
							b.Fatal(err)
						}
					}))
				}
				b.ReportMetric(median(tool), "nvim-ms")
				b.ReportMetric(median(direct), "direct-ms")
				b.ReportMetric(median(holds), "hold-ms")
				b.ReportMetric(float64(slices.Max(holds))/float64(time.Millisecond), "worst-ms")
			})
		}
	})
}
