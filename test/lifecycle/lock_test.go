// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestLock_ComesBackWhenItIsRemoved(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		lock, client := e.Serve()
		e.Command("cd ..")
		nvimtest.Eventually(t, "the folder is written", func() bool { return folders(t, lock)[0] == filepath.Dir(e.Project) })
		moved, err := claude.ReadLock(lock.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(lock.Path); err != nil {
			t.Fatal(err)
		}
		nvimtest.Eventually(t, "it is back", func() bool { return stage.Exists(lock.Path) })
		if again, err := claude.ReadLock(lock.Path); err != nil || cmp.Diff(moved, again) != "" {
			t.Errorf("another one came back: %v, %v", again, err)
		}
		if err := client.Request(stage.Within(t), "ping", nil, &struct{}{}); err != nil {
			t.Error(err)
		}
	})
}

// folders are those of a lock file as it is now.
func folders(t *testing.T, lock claude.Lock) []string {
	t.Helper()
	now, err := claude.ReadLock(lock.Path)
	if err != nil {
		t.Fatal(err) // it is replaced at once: never gone, never half written
	}
	if len(now.WorkspaceFolders) == 0 {
		t.Fatal("no folders")
	}
	return now.WorkspaceFolders
}

// attachServer attaches a language server that lives in Neovim to the current buffer.
const attachServer = `
	local function server()
		return {
			request = function(method, _, done)
				done(nil, method == "initialize" and { capabilities = {} } or vim.NIL)
				return true, 1
			end,
			notify = function() return true end,
			is_closing = function() return false end,
			terminate = function() end,
		}
	end
	local root = ...
	assert(vim.lsp.start({ name = "inside", cmd = server, root_dir = root }))`

func TestLock_FollowsTheFolders(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		lock, _ := e.Serve()
		for _, name := range []string{"a", "tab", "window", "root", "real"} {
			if err := os.Mkdir(filepath.Join(e.Project, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("real", filepath.Join(e.Project, "link")); err != nil {
			t.Fatal(err)
		}
		in := func(name string) string { return filepath.Join(e.Project, name) }
		for _, step := range []struct {
			command string
			want    []string
		}{
			{"cd a", []string{in("a")}},
			{"tabnew | tcd ../tab", []string{in("tab")}},
			{"tabprevious", []string{in("a")}},
			{"split | lcd ../window", []string{in("window")}},
			{"wincmd w", []string{in("a")}},
			{"cd ../link", []string{in("real")}},
		} {
			e.Command(step.command)
			nvimtest.Eventually(t, ":"+step.command, func() bool { return slices.Equal(folders(t, lock), step.want) })
		}
		e.Lua(nil, attachServer, in("root"))
		nvimtest.Eventually(t, "the language server's folder is added", func() bool {
			return slices.Equal(folders(t, lock), []string{in("real"), in("root")})
		})
	})
}

func TestLock_HasTheFolderChangedWhileTheServerStarts(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		e.Lua(nil, `
			require("claudecode.server").launch(require("claudecode").state.config, nil, function(err)
				assert(not err, err)
			end)
			vim.cmd.cd("..")`)
		lock := stage.Find(t, e.Env)
		nvimtest.Eventually(t, "the new folder is written", func() bool { return folders(t, lock)[0] == filepath.Dir(e.Project) })
	})
}

func TestLock_IsWhereClaudeConfigDirSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ value, want string }{
		"blank":            {" \t", "HOME/.claude/ide"},
		"a trailing slash": {"HOME/config/", "HOME/config/ide"},
		"spaces, umlaut":   {"HOME/c x/ü", "HOME/c x/ü/ide"},
		"a tilde":          {"~/other", "HOME/other/ide"},
		// Claude, started in the editor's folder, resolves it the same way.
		"relative": {"rel/dir", "HOME/pro ject/rel/dir/ide"},
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				env := stage.Environment(t)
				home := nvimtest.Lookup(env, "HOME")
				env = append(env, "CLAUDE_CONFIG_DIR="+strings.ReplaceAll(test.value, "HOME", home))
				e := stage.Open(t, stage.Options{Nvim: nvim, Env: env})
				e.Told("ClaudeCodeStart", "started on port ")
				// The folder is found once: no later change of the working folder moves it.
				e.Command("cd /")
				e.Told("ClaudeCodeStop", "stopped")
				e.Told("ClaudeCodeStart", "started on port ")
				dir := strings.ReplaceAll(test.want, "HOME", home)
				lock, err := claude.Find(dir, "")
				if err != nil {
					t.Fatal(err)
				}
				if found := findLocks(t, home); !slices.Equal(found, []string{lock.Path}) {
					t.Errorf("lock files %v", found)
				}
				stage.Connect(t, lock)
			})
		})
	}
}

// findLocks lists every lock file below a folder, but for those of the program's own list of
// editors, where Claude does not look.
func findLocks(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".lock" && filepath.Base(filepath.Dir(path)) != "editors" {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
