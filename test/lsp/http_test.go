// Copyright (c) 2026 the claudecoded authors. MIT license.

package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// session is an MCP client over HTTP.
type session struct {
	t       testing.TB
	lock    claude.Lock
	ctx     context.Context
	id      string
	last    int
	through http.Client
}

func connect(t testing.TB, lock claude.Lock) *session {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s := &session{t: t, ctx: t.Context(), lock: lock, through: http.Client{Transport: transport, Timeout: 2 * nvimtest.Patience}}
	const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"lsp","version":"1"}}`
	if _, err := s.post("initialize", hello); err != nil {
		t.Fatal(err)
	}
	return s
}

// post sends a request and returns the text of the response's message.
func (s *session) post(method, params string) (string, error) {
	s.last++
	return s.send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.last, method, params))
}

func (s *session) send(method, body string) (string, error) {
	req, err := http.NewRequestWithContext(s.ctx, method, fmt.Sprintf("http://127.0.0.1:%d/mcp", s.lock.Port), strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+s.lock.AuthToken)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if s.id != "" {
		req.Header.Set("Mcp-Session-Id", s.id)
	}
	resp, err := s.through.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		s.id = id
	}
	text, err := io.ReadAll(resp.Body)
	// An answer that took long is the last event of a stream.
	if at := strings.LastIndex(string(text), "data: {"); at >= 0 {
		text = text[at+len("data: "):]
	}
	return string(text), err
}

// call calls a tool and returns its text, that of an error too.
func (s *session) call(tool string, arguments map[string]any) (text string, failed bool, err error) {
	if arguments == nil {
		arguments = map[string]any{}
	}
	params, err := json.Marshal(map[string]any{"name": "nvim_" + tool, "arguments": arguments})
	if err != nil {
		return "", false, err
	}
	reply, err := s.post("tools/call", string(params))
	if err != nil {
		return "", false, err
	}
	var m struct {
		Error  *struct{ Message string }
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(reply), &m); err != nil {
		return "", false, fmt.Errorf("%s: %w", reply, err)
	}
	if m.Error != nil {
		return m.Error.Message, true, nil
	}
	for _, content := range m.Result.Content {
		text += content.Text
	}
	return text, m.Result.IsError, nil
}

// all is a server that can do everything.
const all = place + hovering + symbols + calling + `
	require("mcp-tools.config").setup({ edits = "direct", permissions = { ["*"] = "allow" } })
	S.start({ name = "rest", can = { renameProvider = true, codeActionProvider = true }, answers = {
		["textDocument/rename"] = { changes = { [S.uri("f.fake")] = { { range = S.range(0, 0, 3), newText = "1" } } } },
		["textDocument/codeAction"] = { { title = "fix", kind = "quickfix",
			edit = { changes = { [S.uri("f.fake")] = { { range = S.range(0, 0, 1), newText = "2" } } } } } },
	} })
`

// look is the layout, where the windows are, and the registers.
const look = `
	local wins = vim.tbl_map(function(win)
		return { win, vim.api.nvim_win_get_buf(win), vim.fn.winsaveview().topline, vim.api.nvim_win_get_config(win) }
	end, vim.api.nvim_list_wins())
	return vim.inspect({ wins, vim.fn.winlayout(), vim.api.nvim_get_current_win(), vim.fn.getreg('"'), vim.fn.mode() })
`

func TestTools_DisturbNobodyWhoTypes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := &asked{stage.Open(t, stage.Options{Nvim: nvim, UI: true}), t}
		e.prepare("one\ntwo\nthree\n", all)
		e.Write("g.fake", "one\ntwo\nthree\n")
		e.Command("ClaudeCodeStart")
		client := connect(t, stage.Find(t, e.Env))
		e.Command("split typed.txt | startinsert")
		var before, after string
		nvimtest.Eventually(t, "the user types", func() bool {
			e.Lua(&before, look)
			return strings.HasSuffix(before, `"i" }`)
		})
		stop, typed := make(chan struct{}), make(chan string)
		go func() {
			text, tick := strings.Builder{}, time.NewTicker(5*time.Millisecond)
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-stop:
					typed <- text.String()
					return
				case <-tick.C:
					key := string(rune('a' + i%26))
					if _, err := e.Input(key); err != nil {
						t.Error(err)
					}
					text.WriteString(key)
				}
			}
		}()
		at := args{"path": "f.fake", "line": 1}
		with := func(name string, value any) args { return args{"path": "f.fake", "line": 1, name: value} }
		for _, c := range []struct {
			tool      string
			arguments args
			want      string
		}{
			{"lsp_hover", at, "same"}, {"lsp_definition", at, `"text":"one"`}, {"lsp_declaration", at, `"text":"two"`},
			{"lsp_type_definition", at, "[]"}, {"lsp_references", at, `"text":"one"`}, {"lsp_implementation", at, "[]"},
			{"lsp_symbols", args{"path": "f.fake"}, `"inner"`}, {"lsp_symbols", args{"path": "g.fake"}, `"inner"`},
			{"lsp_workspace_symbols", args{"query": "que"}, `"que"`}, {"lsp_signature", at, `"é(a, b)"`},
			{"lsp_incoming_calls", at, `"two"`}, {"lsp_outgoing_calls", at, `"two"`}, {"lsp_code_actions", at, `"fix"`},
			{"lsp_rename", with("new_name", "x"), `"accepted":["f.fake"]`}, {"lsp_apply_code_action", with("title", "fix"), `"accepted":["f.fake"]`},
			{"diagnostics_list", args{"path": "f.fake"}, "["}, {"diagnostics_list", args{"scope": "workspace"}, "["},
		} {
			text, failed, err := client.call(c.tool, c.arguments)
			if err != nil || failed || !strings.Contains(text, c.want) {
				t.Errorf("%s: %s, %v", c.tool, text, err)
			}
		}
		close(stop)
		keys := <-typed
		nvimtest.Eventually(t, "every key is there", func() bool {
			var got string
			e.Lua(&got, `return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true))`)
			return got == keys
		})
		e.Lua(&after, look)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
		if got := e.file("f.fake"); got != "2\ntwo\nthree\n" {
			t.Errorf("the file is %q", got)
		}
	})
}

func TestTools_OfAClientThatLeavesAreCancelledAtTheServer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", pair+`require("mcp-tools.config").setup({ permissions = { ["*"] = "allow" } })`)
		e.Command("ClaudeCodeStart")
		lock := stage.Find(t, e.Env)
		for name, leave := range map[string]func(s *session, call int) error{
			"cancels the call": func(s *session, call int) error {
				_, err := s.send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, call))
				return err
			},
			"ends its session": func(s *session, _ int) error {
				_, err := s.send("DELETE", "")
				return err
			},
		} {
			client := connect(t, lock)
			same, call := *client, client.last+1
			ctx, cancel := context.WithCancel(t.Context())
			same.ctx = ctx
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if text, _, err := same.call("lsp_references", args{"path": "f.fake"}); err == nil && strings.Contains(text, "f.fake") {
					t.Errorf("%s: it answered %s", name, text)
				}
			}()
			nvimtest.Eventually(t, "the server is asked", func() bool {
				var asked bool
				e.Lua(&asked, `return vim.iter(S.silent.asked):any(function(r) return r.method ~= "initialize" end)`)
				return asked
			})
			if err := leave(client, call); err != nil {
				t.Error(err)
			}
			e.cancelled("silent", "textDocument/references")
			cancel()
			<-ended
			e.Lua(nil, `S.silent.asked = {}`)
			e.Lua(nil, `S.silent.cancelled = {}`)
		}
	})
}

func TestTools_GiveTheEditorItsTurn(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\ntwo\n", `
			require("mcp-tools.slices").piece_ms = 0
			local many, edits = {}, {}
			for i = 0, 400 do
				many[i + 1] = S.at("f.fake", i, i)
				edits[i + 1] = { range = S.range(0, 0, 0), newText = "x" }
			end
			S.start({ name = "many", can = { referencesProvider = true, documentSymbolProvider = true, renameProvider = true }, answers = {
				["textDocument/references"] = many,
				["textDocument/documentSymbol"] = vim.tbl_map(function(at) return { name = "s", kind = 1, location = at } end, many),
				["textDocument/rename"] = { changes = { [S.uri("f.fake")] = edits } },
			} })
		`)
		for _, tool := range []string{"lsp_references", "lsp_symbols", "lsp_rename"} {
			// Counted by the editor itself: this test may have fewer turns on a machine that is busy.
			e.Lua(nil, `
				answer, turns = nil, 0
				function answered() return answer ~= nil or #vim.api.nvim_list_wins() > 1 end
				local function turn()
					if not answered() then
						turns = turns + 1
						vim.defer_fn(turn, 1)
					end
				end
				turn()
			`)
			e.begin(tool, args{"line": 1, "new_name": "x"}, patient)
			nvimtest.Eventually(t, "it answers", func() bool {
				var done bool
				e.Lua(&done, `return answered()`)
				return done
			})
			var turns int
			e.Lua(&turns, `return turns`)
			if turns < 20 {
				t.Errorf("%s: the editor had %d turns", tool, turns)
			}
		}
	})
}
