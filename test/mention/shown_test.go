// Copyright (c) 2026 the claudecoded authors. MIT license.

package mention

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// The buffer of a proposal has the name of no file, and stands for one.
func TestAdd_TakesTheCurrentFileOfAProposal(t *testing.T) {
	for _, layout := range []string{"vertical", "unified"} {
		t.Run(layout, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := open(t, nvim, map[string]any{"diff_opts": map[string]any{"layout": layout}})
				client := serve(t, e)
				e.Lua(nil, `require("claudecode.moment").quiet_ms = 10`)
				path := e.Write("a.txt", "1\n2\n3\n")
				e.Lua(nil, "vim.cmd.edit('a.txt')")
				propose := func(file string) <-chan error {
					t.Helper()
					answer := make(chan error, 1)
					go func() {
						_, err := client.Call(stage.Within(t), "openDiff", map[string]any{
							"old_file_path": file, "new_file_path": file, "new_file_contents": "1\nTWO\n3\n", "tab_name": "proposal",
						})
						answer <- err
					}()
					nvimtest.Eventually(t, "it is shown", func() (shown bool) {
						e.Lua(&shown, `for _, win in ipairs(vim.api.nvim_list_wins()) do
							if vim.b[vim.api.nvim_win_get_buf(win)].claudecode_diff_tab_name then
								vim.api.nvim_set_current_win(win)
								return true
							end
						end
						return false`)
						return shown
					})
					return answer
				}
				end := func(answer <-chan error) {
					t.Helper()
					e.Command("ClaudeCodeCloseAllDiffs")
					if err := <-answer; err != nil {
						t.Error(err)
					}
				}
				answer := propose(path)
				e.Command("ClaudeCodeAdd %")
				e.Command("ClaudeCodeAdd %:p 2 3")
				e.Command("ClaudeCodeAdd %:h")
				expect(t, client, sent{path, -1, -1}, sent{path, 1, 2}, sent{e.Project + "/", -1, -1})
				e.Told("1ClaudeCodeSend", "this buffer has no file that Claude could read")
				end(answer)
				answer = propose(e.Project + "/new.txt")
				e.Told("ClaudeCodeAdd %", "ClaudeCodeAdd: File or directory does not exist: "+e.Project+"/new.txt")
				end(answer)
			})
		})
	}
}
