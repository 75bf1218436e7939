// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// own are the tools of fixtures/tools, registered as a user does it.
func own(t *testing.T, f func(t *testing.T, e *editor)) {
	names, err := filepath.Glob(filepath.Join(nvimtest.Root(t), "fixtures", "tools", "*.lua"))
	if err != nil || len(names) != 5 {
		t.Fatal(names, err)
	}
	each(t, `{}`, func(t *testing.T, e *editor) {
		for _, name := range names {
			e.Lua(nil, `require("mcp-tools").register(dofile((...)))`, name)
		}
		nvimtest.Eventually(t, "the daemon knows them", func() bool {
			m, err := e.request(t.Context(), "tools/list", args{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			listed := 0
			for _, tool := range m.Result.Tools {
				for _, name := range names {
					if tool.Name == "nvim_"+strings.TrimSuffix(filepath.Base(name), ".lua") {
						listed++
					}
				}
			}
			return listed == len(names)
		})
		f(t, e)
	})
}

// run runs a program in the editor's project.
func (e *editor) run(name string, arguments ...string) {
	e.t.Helper()
	cmd := exec.Command(name, arguments...)
	cmd.Dir, cmd.Env = e.Project, e.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		e.t.Fatalf("%s %v: %v\n%s", name, arguments, err, out)
	}
}

func TestFixtures_BlameALineOfTheBuffer(t *testing.T) {
	own(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\ntwo\n")
		e.run("git", "init", "-q")
		e.run("git", "add", ".")
		e.run("git", "-c", "user.name=Ada", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Begin")
		e.want("git_blame", args{"path": path, "line": 2}, `"author":"Ada"`, `"summary":"Begin"`)
		e.keys("ggOnew<Esc>")
		e.eventually(`vim.fn.line("$") == 3`)
		e.want("git_blame", args{"path": path, "line": 3}, `"summary":"Begin"`)
		if text := e.want("git_blame", args{"path": path, "line": 1}); strings.Contains(text, "Begin") {
			t.Errorf("a new line has a commit: %s", text)
		}
		e.refused("git_blame", args{"path": path, "line": 9}, "3 lines")
		e.refused("git_blame", args{"path": path, "line": 0}, "line")
	})
}

func TestFixtures_RunTheTestUnderTheCursor(t *testing.T) {
	own(t, func(t *testing.T, e *editor) {
		cache, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		e.Lua(nil, `vim.env.GOCACHE = ...`, strings.TrimSpace(string(cache)))
		e.Write("go.mod", "module a\n\ngo 1.26\n")
		e.edit("a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {\n}\n\n"+
			"func TestBad(t *testing.T) {\n\tt.Error(\"it is bad\")\n}\n")
		e.Command("set filetype=go")
		e.refused("test_under_cursor", args{}, "The cursor is in no test")
		e.Command("6")
		e.want("test_under_cursor", args{}, `"test":"TestGood"`, `"passed":true`)
		e.Command("9")
		e.want("test_under_cursor", args{}, `"test":"TestBad"`, `"passed":false`, "it is bad")
		e.Command("set filetype=text")
		e.refused("test_under_cursor", args{}, "filetype text")
	})
}

func TestFixtures_ReadTheQuickfixList(t *testing.T) {
	own(t, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		e.want("problems", args{}, "Nothing is in the list")
		e.Lua(nil, `vim.fn.setqflist({
			{ filename = "a.txt", lnum = 1, col = 2, text = "wrong", type = "E" },
			{ filename = "a.txt", lnum = 1, col = 1, text = "odd", type = "W" },
			{ text = "a heading" },
		})`)
		if got := e.want("problems", args{}); got != "a.txt:1:2: wrong\na.txt:1:1: odd" {
			t.Errorf("%q", got)
		}
		if got := e.want("problems", args{"errors_only": true}); got != "a.txt:1:2: wrong" {
			t.Errorf("%q", got)
		}
	})
}

func TestFixtures_AskTheUser(t *testing.T) {
	own(t, func(t *testing.T, e *editor) {
		question := args{"question": "Which?", "choices": []string{"a", "b"}}
		p := e.start("ask_user", question)
		e.choose("Which?", 2)
		if text, err := p.answer(); text != "b" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		p = e.start("ask_user", question)
		e.choose("Which?", 9)
		if text, err := p.answer(); err == nil || !strings.Contains(err.Error(), "The user did not answer") {
			t.Errorf("%q, %v", text, err)
		}
		e.refused("ask_user", args{"question": "Which?", "choices": []string{"a"}}, "choices")
	})
}

func TestFixtures_TellHowFarALongJobIs(t *testing.T) {
	own(t, func(t *testing.T, e *editor) {
		if err := os.MkdirAll(filepath.Join(e.Project, "many", ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b", "c", ".git/d"} {
			e.Write("many/"+name, "one\ntwo\n")
		}
		p := e.start("count_lines", args{"folder": "many"})
		text, err := p.answer()
		if err != nil {
			t.Fatal(err)
		}
		got := decode[struct{ Files, Lines int }](t, text)
		if got.Files != 3 || got.Lines != 6 {
			t.Errorf("%+v", got)
		}
		heard := p.heard()
		if len(heard) == 0 || !strings.Contains(heard[0], `"total":3`) {
			t.Errorf("progress: %v", heard)
		}
		e.refused("count_lines", args{"folder": "none"}, "There is no such folder: none")
		e.Lua(nil, `steps, defer = 0, vim.defer_fn
			vim.defer_fn = function(f, ms)
				steps = steps + 1
				return defer(f, steps > 1 and 60000 or ms) -- the job stops here until it is cancelled
			end`)
		p = e.start("count_lines", args{"folder": "many"})
		e.eventually(`steps == 2`)
		p.cancel()
		e.eventually(`require("mcp-tools.registry").pending_count() == 0`)
	})
}
