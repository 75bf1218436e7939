// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// outcome is how a call ended: the texts of its result, or the error.
type outcome string

// openDiff asks for a diff; the outcome comes when it comes.
func (e *editor) openDiff(client *claude.Client, name, file, text string) <-chan outcome {
	e.t.Helper()
	answered := make(chan outcome, 1)
	path := filepath.Join(e.Project, file)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	e.t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		result, err := client.Call(ctx, "openDiff", map[string]string{
			"old_file_path": path, "new_file_path": path, "new_file_contents": text, "tab_name": name,
		})
		if err != nil {
			answered <- outcome(err.Error())
			return
		}
		var texts []string
		for _, item := range result.Content {
			texts = append(texts, item.Text)
		}
		answered <- outcome(strings.Join(texts, "|"))
	}()
	return answered
}

// opened waits until as many diffs were opened.
func (e *editor) opened(n string) {
	e.t.Helper()
	e.until(n+" diffs are open", `#vim.iter(events):filter(function(event)
		return event[1] == "Opened"
	end):totable() == `+n)
}

func call(t *testing.T, client *claude.Client, name string, arguments any) string {
	t.Helper()
	result, err := client.Call(stage.Within(t), name, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].Text
}

func await(t *testing.T, answered <-chan outcome, want outcome) {
	t.Helper()
	select {
	case got := <-answered:
		if got != want {
			t.Errorf("answered %q, want %q", got, want)
		}
	case <-stage.Within(t).Done():
		t.Errorf("no answer, want %q", want)
	}
}

func unanswered(t *testing.T, answered <-chan outcome) {
	t.Helper()
	select {
	case got := <-answered:
		t.Errorf("answered %q", got)
	default:
	}
}

type tab struct {
	Name string `json:"tab_name"`
}

func TestWire_EachClientDecidesItsOwnDiffs(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		lock, a := e.Serve()
		b := stage.Connect(t, lock)
		ofA := e.openDiff(a, "same", "f.txt", proposed)
		e.opened("1")
		ofB := e.openDiff(b, "same", "g.txt", "mine\n")
		e.opened("2")
		unanswered(t, ofA)

		if got := call(t, b, "close_tab", tab{"same"}); got != "TAB_CLOSED" {
			t.Error(got)
		}
		await(t, ofB, "DIFF_REJECTED|same")
		ofB = e.openDiff(b, "other", "g.txt", "mine\n")
		e.opened("3")
		if got := call(t, b, "closeAllDiffTabs", nil); got != "CLOSED_1_DIFF_TABS" {
			t.Error(got)
		}
		await(t, ofB, "DIFF_REJECTED|other")
		unanswered(t, ofA)
		e.expectSoon(`#vim.iter(events):filter(function(event) return event[1] == "Closed" end):totable()`, "2")

		e.Lua(nil, `vim.api.nvim_set_current_win(events[1][2].diff_window)`)
		e.keys(":w<CR>")
		await(t, ofA, "FILE_SAVED|one\n2\nthree\n")
		if got := call(t, b, "closeAllDiffTabs", nil); got != "CLOSED_0_DIFF_TABS" {
			t.Error(got)
		}
		if got := call(t, a, "closeAllDiffTabs", nil); got != "CLOSED_1_DIFF_TABS" {
			t.Error(got)
		}
		e.expectSoon(`shape()`, alone)
	})
}

func TestWire_SameNameReplacesTheDiff(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		_, client := e.Serve()
		first := e.openDiff(client, "a", "f.txt", "first\n")
		e.opened("1")
		second := e.openDiff(client, "a", "f.txt", proposed)
		await(t, first, "DIFF_REJECTED|a")
		e.opened("2")
		e.expect(`shape()`, "*1 f.txt diff | 1 a (proposed) diff")
		e.expect(`events[2][2].reason`, "replaced by new diff")
		e.enter()
		e.keys(":w<CR>")
		await(t, second, "FILE_SAVED|one\n2\nthree\n")
	})
}

func TestWire_ClientThatLeavesTakesItsPendingDiffs(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		lock, a := e.Serve()
		b := stage.Connect(t, lock)
		kept := e.openDiff(b, "kept", "g.txt", "mine\n")
		e.opened("1")
		e.openDiff(b, "pending", "f.txt", proposed)
		e.opened("2")
		e.Lua(nil, `vim.api.nvim_set_current_win(events[1][2].diff_window)`)
		e.keys(":w<CR>")
		await(t, kept, "FILE_SAVED|mine\n")
		e.keys("<C-w>p")
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		e.until("the pending one is closed", `events[3] and events[3][2].tab_name == "pending"`)
		e.until("the client is gone", `require("claudecode.server").get_status().client_count == 1`)
		e.expect(`vim.iter(vim.api.nvim_list_wins()):any(function(win)
			return vim.b[vim.api.nvim_win_get_buf(win)].claudecode_diff_tab_name == "kept"
		end)`, "true")
		if got := call(t, a, "closeAllDiffTabs", nil); got != "CLOSED_1_DIFF_TABS" {
			t.Error(got)
		}
		e.expectSoon(`#vim.api.nvim_list_tabpages()`, "1")
	})
}

func TestWire_StopAnswersFirst(t *testing.T) {
	t.Parallel()
	ends := map[string]string{
		"stop": `require("claudecode").stop()`,
		"qall": `vim.schedule(function() vim.cmd("qall!") end)`,
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, end := range ends {
			t.Run(name, func(t *testing.T) {
				e := open(t, nvim, nil)
				_, client := e.Serve()
				pending := e.openDiff(client, "a", "f.txt", proposed)
				e.opened("1")
				e.keys("i")
				waits := e.openDiff(client, "b", "g.txt", "mine\n")
				e.until("the second waits", `require("claudecode.moment").summary()`)
				order := filepath.Join(e.Project, "order")
				e.Lua(nil, `
					local file = ...
					local notify = vim.rpcnotify
					vim.rpcnotify = function(channel, method, ...)
						if method == "tool_done" then
							vim.fn.writefile({ "tool_done " .. (...).result.content[1].text }, file, "a")
						elseif method == "stop" then
							vim.fn.writefile({ "stop" }, file, "a")
						end
						return notify(channel, method, ...)
					end
				`, order)
				e.Lua(nil, end)
				want := "tool_done DIFF_REJECTED\ntool_done DIFF_REJECTED\nstop\n"
				nvimtest.Eventually(t, "the daemon was told all", func() bool {
					return strings.HasSuffix(e.read("order"), "stop\n")
				})
				if got := e.read("order"); got != want {
					t.Errorf("the daemon was told\n%s, want\n%s", got, want)
				}
				if name == "stop" {
					await(t, pending, "DIFF_REJECTED|a")
					await(t, waits, "DIFF_REJECTED|b")
					e.keys("<Esc>")
					e.expectSoon(`events[#events][2].reason`, "shutdown")
					e.expectSoon(`shape()`, alone)
				}
			})
		}
	})
}

func TestWire_ErrorsAreThoseOfOpenDiff(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		_, client := e.Serve()
		_, err := client.Call(stage.Within(t), "openDiff", map[string]string{"old_file_path": "/x"})
		if err == nil || !strings.Contains(err.Error(), "-32602") {
			t.Error(err)
		}
		e.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, 1, false, { "unsaved" })`)
		failed := e.openDiff(client, "a", "f.txt", proposed)
		got := <-failed
		if !strings.Contains(string(got), "file has unsaved changes") {
			t.Error(got)
		}
		e.expect(`shape() .. line(buffers())`, `*1 f.txt{ "f.txt+" }`)
	})
}

func TestDiff_IsNotOfferedIfTheUserDoesNotWantIt(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, wanted := range []bool{true, false} {
			e := open(t, nvim, map[string]any{"enabled": wanted})
			_, client := e.Serve()
			tools, err := client.Tools(stage.Within(t))
			if err != nil {
				t.Fatal(err)
			}
			offered := slices.ContainsFunc(tools, func(tool claude.Tool) bool { return tool.Name == "openDiff" })
			if offered != wanted {
				t.Errorf("enabled = %v: offered is %v", wanted, offered)
			}
			if wanted {
				e.openDiff(client, "a", "f.txt", "two\n")
				e.opened("1")
				continue
			}
			_, err = client.Call(stage.Within(t), "openDiff", map[string]string{
				"old_file_path": "/f", "new_file_path": "/f", "new_file_contents": "", "tab_name": "a",
			})
			if err == nil || !strings.Contains(err.Error(), "Tool not found: openDiff") {
				t.Errorf("it answers %v", err)
			}
		}
	})
}
