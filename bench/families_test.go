// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"claudecoded/test/nvimtest"
)

//go:embed families.lua
var familyTools string

// familyCalls are calls of the tools that come along, in a buffer of 100 000 lines and in lists
// of 5000 entries, with a part of what each answers.
var familyCalls = []struct{ name, arguments, want string }{
	{"nothing", ``, ""}, // what the loop does by itself, and to be asked
	{"buffers_list", `{}`, "big.txt"},
	{"buffers_read", `{"path":"big.txt"}`, "read on with start_line"},
	{"buffers_search", `{"path":"big.txt","pattern":"is nowhere"}`, `\"matches\":[]`},
	{"buffers_search_regex", `{"path":"big.txt","pattern":"\\<no\\w*where\\>","regex":true}`, `\"matches\":[]`},
	{"buffers_search_many", `{"path":"big.txt","pattern":"line","limit":1000}`, "truncated"},
	{"buffers_edit", `{"path":"big.txt","edits":[{"old_text":"line 90000 of","new_text":"line 90000 of"}],"save":false}`, "accepted"},
	{"undo_tree", `{"path":"big.txt"}`, "seq_last"},
	{"undo_checkpoint", `{"path":"big.txt","name":"c"}`, "big.txt"},
	{"undo_revert", `{"name":"c"}`, "reverted"},
	{"quickfix_read", `{"limit":500}`, `\"more\":`},
	{"quickfix_set", `{"items":[` + strings.Repeat(`{"path":"big.txt","line":1,"text":"x"},`, 999) + `{"text":"end"}]}`, `\"size\":1000`},
	{"loclist_read", `{"limit":500}`, "items"},
	{"test_sync_buffers", `{}`, "big.txt"},
}

// openFamilies starts a Neovim with the tools and what they work on. longest says for how long it
// did not look for input at most since the last call.
func openFamilies(b *testing.B, binaryOfNvim string) (v *nvim.Nvim, longest func() time.Duration) {
	b.Helper()
	v = nvimtest.Start(b, nvimtest.Options{Nvim: binaryOfNvim, UI: true, Dir: b.TempDir()})
	if err := v.ExecLua(served(b), nil); err != nil {
		b.Fatal(err)
	}
	if err := v.ExecLua(`longest = load((...))()`, nil, familyTools); err != nil {
		b.Fatal(err)
	}
	return v, func() time.Duration {
		var ms float64
		if err := v.ExecLua(`return longest()`, &ms); err != nil {
			b.Fatal(err)
		}
		return time.Duration(ms * float64(time.Millisecond))
	}
}

func reportHeld(b *testing.B, held map[string][]time.Duration) {
	b.ReportMetric(0, "ns/op")
	for name, times := range held {
		b.ReportMetric(median(times), name+"-ms")
		b.ReportMetric(float64(slices.Max(times))/float64(time.Millisecond), name+"-worst-ms")
	}
}

// BenchmarkFamilies measures for how long each tool that comes along keeps Neovim from looking
// for input. For each, -ms is the median of the longest that each call did, -worst-ms the
// longest of all; the calls take turns. It is Neovim's processor time, so that what else the
// machine does is left out.
func BenchmarkFamilies(b *testing.B) {
	eachNeovim(b, func(b *testing.B, binaryOfNvim string) {
		v, longest := openFamilies(b, binaryOfNvim)
		var server struct {
			Port  int    `msgpack:"port"`
			Token string `msgpack:"token"`
		}
		const answer = `local s = require("claudecode").state return { port = s.port, token = s.auth_token }`
		if err := v.ExecLua(answer, &server); err != nil {
			b.Fatal(err)
		}
		client := &httpCaller{url: fmt.Sprintf("http://127.0.0.1:%d/mcp", server.Port), token: server.Token}
		client.post(b, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
		nvimtest.Eventually(b, "the daemon knows the tools", func() bool {
			return strings.Contains(client.post(b, "tools/list", `{}`), "nvim_test_sync_buffers")
		})
		held := map[string][]time.Duration{}
		for b.Loop() {
			for _, c := range familyCalls {
				longest()
				if c.arguments != "" {
					tool := strings.TrimSuffix(strings.TrimSuffix(c.name, "_regex"), "_many")
					text := client.post(b, "tools/call", fmt.Sprintf(`{"name":"nvim_%s","arguments":%s}`, tool, c.arguments))
					if !strings.Contains(text, c.want) {
						b.Fatalf("%s: %.500s", c.name, text)
					}
				}
				held[c.name] = append(held[c.name], longest())
			}
		}
		reportHeld(b, held)
	})
}
