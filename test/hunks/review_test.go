// Copyright (c) 2026 the claudecoded authors. MIT license.

package hunks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// decisions are what a user types in a unified diff of oldText and newText, and what the
// client is answered.
var decisions = []struct {
	name, keys string
	want       []string
}{
	{"write", ":w<CR>", []string{"FILE_SAVED", newText}},
	{"accept", ":ClaudeCodeDiffAccept<CR>", []string{"FILE_SAVED", newText}},
	{"drop a hunk, write", ":4ClaudeCodeDiffDeny<CR>:w<CR>", []string{"FILE_SAVED", "A\nb\nc\nd\nf\nG\n"}},
	{"drop nothing, write", ":5ClaudeCodeDiffDeny<CR>:w<CR>", []string{"FILE_SAVED", newText}},
	{"accept a hunk", ":7ClaudeCodeDiffAccept<CR>", []string{"FILE_SAVED", "a\nb\nc\nd\nf\ng"}},
	{"accept nothing, deny", ":5ClaudeCodeDiffAccept<CR>:ClaudeCodeDiffDeny<CR>", []string{"DIFF_REJECTED", "the diff"}},
	{"deny", ":ClaudeCodeDiffDeny<CR>", []string{"DIFF_REJECTED", "the diff"}},
	{"quit", ":q<CR>", []string{"DIFF_REJECTED", "the diff"}},
	{"quit, forced", ":q!<CR>", []string{"DIFF_REJECTED", "the diff"}},
	{"wipe out", ":bwipeout!<CR>", []string{"DIFF_REJECTED", "the diff"}},
}

func TestUnified_IsDecidedByTheUser(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, newTab := range []bool{false, true} {
			options := map[string]any{"layout": "unified", "open_in_new_tab": newTab}
			e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: map[string]any{"diff_opts": options}})
			e.Lua(nil, `require("claudecode.moment").quiet_ms = 10`)
			path := filepath.Join(e.Project, "f.txt")
			if err := os.WriteFile(path, []byte(oldText), 0o600); err != nil {
				t.Fatal(err)
			}
			_, client := e.Serve()
			holds := func(what, code string) {
				t.Helper()
				nvimtest.Eventually(t, what, func() (is bool) {
					e.Lua(&is, "return "+code)
					return is
				})
			}
			for _, row := range decisions {
				answered := make(chan error, 1)
				var got struct{ Content []struct{ Text string } }
				arguments, err := json.Marshal(map[string]any{
					"old_file_path": path, "new_file_path": path, "new_file_contents": newText, "tab_name": "the diff",
				})
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					params := map[string]any{"name": "openDiff", "arguments": json.RawMessage(arguments)}
					answered <- client.Request(stage.Within(t), "tools/call", params, &got)
				}()
				holds("the diff is shown", `#vim.api.nvim_list_wins() == 2`)
				e.Lua(nil, `
					local win = vim.iter(vim.api.nvim_list_wins()):find(function(win)
						return vim.b[vim.api.nvim_win_get_buf(win)].claudecode_inline_diff
					end)
					vim.api.nvim_set_current_win(win)
				`)
				if _, err := e.Input(row.keys); err != nil {
					t.Fatal(err)
				}
				if err := <-answered; err != nil {
					t.Fatalf("%s: %v", row.name, err)
				}
				var texts []string
				for _, item := range got.Content {
					texts = append(texts, item.Text)
				}
				if diff := cmp.Diff(row.want, texts); diff != "" {
					t.Errorf("%s, in a new tab %v: %s", row.name, newTab, diff)
				}
				var closed any
				params := map[string]any{"name": "close_tab", "arguments": map[string]any{"tab_name": "the diff"}}
				if err := client.Request(stage.Within(t), "tools/call", params, &closed); err != nil {
					t.Fatal(err)
				}
				holds(row.name+" leaves nothing behind",
					`#vim.api.nvim_list_wins() == 1 and #vim.api.nvim_list_tabpages() == 1 and #vim.api.nvim_list_bufs() == 1`)
			}
		}
	})
}
