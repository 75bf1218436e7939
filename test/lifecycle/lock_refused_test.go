// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestLock_ThatCannotBeWrittenIsOneMessageAndTheEditorGoesOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(t *testing.T, home string)
		command []string
		want    string
	}{
		"the folder is a file": {func(t *testing.T, home string) {
			ide := filepath.Join(home, ".claude", "ide")
			must(t, os.Mkdir(filepath.Dir(ide), 0o700))
			must(t, os.WriteFile(ide, nil, 0o600))
		}, nil, ".claude/ide is a file"},
		"a dangling link": {func(t *testing.T, home string) {
			must(t, os.Symlink("/no/such/folder", filepath.Join(home, ".claude")))
		}, nil, ".claude is a link to /no/such/folder, which does not exist"},
		"read-only": {func(t *testing.T, home string) {
			claude := filepath.Join(home, ".claude")
			must(t, os.Mkdir(claude, 0o555))
			must(t, os.Chmod(home, 0o755)) // for a daemon of another user
		}, unprivileged(), ".claude/ide: permission denied"},
		// A limit on the size of files stands in for it.
		"a full disk": {func(*testing.T, string) {}, []string{"prlimit", "--fsize=10:10", stage.Binary}, ".claude/ide: file too large"},
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				env := stage.Environment(t)
				test.prepare(t, nvimtest.Lookup(env, "HOME"))
				daemon := map[string]any{}
				if test.command != nil {
					daemon["cmd"] = test.command
				}
				e := stage.Open(t, stage.Options{Nvim: nvim, Env: env, UI: true, Setup: map[string]any{"daemon": daemon}})
				e.Lua(nil, `
					_G.told = {}
					vim.notify = function(message) table.insert(_G.told, message) end`)
				e.Command("ClaudeCodeStart")
				var told []string
				nvimtest.Eventually(t, "the user is told", func() bool {
					e.Lua(&told, `return _G.told`)
					return len(told) > 0
				})
				if waits(t, e) {
					t.Error("Neovim waits for a key")
				}
				e.Command("edit still.txt")
				e.Lua(nil, `assert(not vim.wait(300, function() return #_G.told > 1 end), "told again")`)
				if len(told) != 1 || !strings.Contains(told[0], test.want) {
					t.Errorf("the user was told %q", told)
				}
				e.Told("ClaudeCodeStatus!", "is not running")
			})
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unprivileged is the program's command line as a user whom permissions bind.
func unprivileged() []string {
	if os.Geteuid() != 0 {
		return []string{stage.Binary}
	}
	return []string{"setpriv", "--reuid=65534", "--clear-groups", stage.Binary}
}
