// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// explains is how the one message begins.
const explains = "Claude writes files without asking. For diffs"

// uri is a file's as the client writes it.
func uri(path string) map[string]any { return map[string]any{"uri": "file://" + path} }

// write is the client's: the question before it, and the file. What Claude asks
// afterwards depends on the answer.
func (d *desk) write(path, text string) {
	d.t.Helper()
	d.call("getDiagnostics", uri(path))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// told is how often the user was told, once nothing is awaited and all that was said is said.
func (d *desk) told() int {
	d.t.Helper()
	d.eventually("no write is awaited", `(function()
		local known, found = pcall(vim.api.nvim_get_autocmds, { group = "ClaudeCodeAutoMode" })
		return not known or #found == 0
	end)()`)
	d.Lua(nil, `
		said = nil
		vim.schedule(function() said = true end)
		vim.wait(20000, function() return said end, 5)`)
	return value[int](d, `select(2, table.concat(require("claudecode.log").recent(), "\n"):gsub(vim.pesc((...)), ""))`, explains)
}

func TestAutoMode_IsExplainedOnce(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim, UI: true})
		d.Lua(nil, `notified = {}; vim.notify = function(text) table.insert(notified, text) end`)
		d.write(d.Write("a $x [1].txt", "one\n"), "two, longer\n")
		if n := d.told(); n != 1 {
			t.Fatalf("told %d times", n)
		}
		said := value[[]string](d, "notified")
		if len(said) != 1 {
			t.Fatalf("notified %q", said)
		}
		for _, part := range []string{explains, "claude --permission-mode default", "shift+tab"} {
			if !strings.Contains(said[0], part) {
				t.Errorf("%q is not in %q", part, said[0])
			}
		}
		d.write(d.Write("b.txt", "one\n"), "two, longer\n")
		d.write(filepath.Join(d.Project, "new.txt"), "new\n")
		d.client = stage.Connect(t, d.lock)
		d.write(d.Write("c.txt", "one\n"), "two, longer\n")
		if n := d.told(); n != 1 {
			t.Errorf("told %d times", n)
		}
		d.says("WARNING Claude wrote a file without asking: 4 times", "claude --permission-mode default", "shift+tab")
	})
}

func TestAutoMode_IsExplainedForANewFile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		d.write(filepath.Join(d.Project, "new.txt"), "new\n")
		if n := d.told(); n != 1 {
			t.Errorf("told %d times", n)
		}
	})
}

func TestAutoMode_IsNotWhatElseHappens(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(d *desk, path string){
		"Claude writes nothing": func(d *desk, path string) {
			d.call("getDiagnostics", uri(path))
		},
		"the user writes while Claude asks": func(d *desk, path string) {
			d.Command("edit " + filepath.Base(path))
			d.call("getDiagnostics", uri(path))
			d.Command("normal! iuser")
			d.Command("write")
		},
		"the user writes a part of another buffer there": func(d *desk, path string) {
			d.Command("put ='user'")
			d.call("getDiagnostics", uri(path))
			d.Command("1write! " + filepath.Base(path))
		},
		"the user writes through a link": func(d *desk, path string) {
			link := path + ".link"
			if err := os.Symlink(path, link); err != nil {
				d.t.Fatal(err)
			}
			d.Command("edit " + filepath.Base(link))
			d.call("getDiagnostics", uri(path))
			d.Command("normal! iuser")
			d.Command("write")
		},
		"the user was asked": func(d *desk, path string) {
			d.begin("openDiff", map[string]any{
				"old_file_path": path, "new_file_path": path, "new_file_contents": "two, longer\n", "tab_name": "tab",
			})
			d.eventually("the diff is there", `vim.fn.tabpagenr("$") > 1 or #vim.api.nvim_list_wins() > 1`)
			d.Command("ClaudeCodeDiffAccept")
			d.call("close_tab", map[string]any{"tab_name": "tab"})
			d.write(path, "two, longer\n")
		},
		"the user was asked, and let Claude go on": func(d *desk, path string) {
			d.begin("openDiff", d.diff("other.txt"))
			d.call("close_tab", map[string]any{"tab_name": "✻ other.txt"})
			d.write(path, "two, longer\n")
		},
		"it is written much later": func(d *desk, path string) {
			d.call("getDiagnostics", uri(path))
			d.overwrite(path, time.Now().Add(time.Hour))
		},
		"it was written before": func(d *desk, path string) {
			d.call("getDiagnostics", uri(path))
			d.overwrite(path, time.Now().Add(-time.Hour)) // as a checkout that keeps times
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := serve(t, stage.Options{Nvim: nvim})
				act(d, d.Write("a.txt", "one\n"))
				if n := d.told(); n != 0 {
					t.Errorf("told %d times", n)
				}
				unseen := value[int](d, `select(2, require("claudecode.auto_mode").seen())`)
				if want := map[bool]int{true: 1}[strings.HasSuffix(name, "let Claude go on")]; unseen != want {
					t.Errorf("%d files count as written without a diff, want %d", unseen, want)
				}
			})
		})
	}
}

// overwrite writes a file whose time is another.
func (d *desk) overwrite(path string, at time.Time) {
	d.t.Helper()
	if err := os.WriteFile(path, []byte("two, longer\n"), 0o600); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		d.t.Fatal(err)
	}
}

func TestAutoMode_SeesTwoWritesOfOneFile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		path := d.Write("a.txt", "one\n")
		d.write(path, "two, longer\n")
		d.write(path, "three, longer still\n")
		if n := d.told(); n != 1 {
			t.Errorf("told %d times", n)
		}
		if n := value[int](d, `select(2, require("claudecode.auto_mode").seen())`); n != 2 {
			t.Errorf("%d writes", n)
		}
	})
}

func TestAutoMode_RemembersNoMoreFilesThanItMay(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		d.Lua(nil, `require("claudecode.auto_mode").max_files = 2`)
		for _, name := range []string{"a", "b", "c"} {
			d.write(d.Write(name, "one\n"), "two, longer\n")
		}
		d.told()
		if n := value[int](d, `select(2, require("claudecode.auto_mode").seen())`); n != 2 {
			t.Errorf("%d files", n)
		}
	})
}
