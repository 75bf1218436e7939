// Copyright (c) 2026 the claudecoded authors. MIT license.

package stdio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestStdio_OutlivesItsNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		home := nvimtest.Lookup(env, "HOME")
		project := filepath.Join(home, "pro ject")
		if err := os.Mkdir(project, 0o700); err != nil {
			t.Fatal(err)
		}
		c := start(t, project, env)
		if answer := c.greet(); !strings.Contains(answer, "no Neovim with claudecoded runs for "+project) {
			t.Errorf("%s", answer)
		}
		c.send(`{"jsonrpc":"2.0","id":"none","method":"tools/list"}`)
		c.until(`"id":"none"`, `"tools":[]`)

		first := editor(t, stage.Options{Nvim: nvim, Env: env})
		pid := serve(t, first)
		c.until(listChanged)
		if got := c.pid("1"); got != pid {
			t.Errorf("process %d, not %d", got, pid)
		}
		_ = first.Nvim.Command("qa!")
		nvimtest.Eventually(t, "the first Neovim is gone", func() bool {
			_, editors := list(t, env)
			return len(editors) == 0
		})

		second := editor(t, stage.Options{Nvim: nvim, Env: env})
		pid = serve(t, second)
		c.until(listChanged)
		if got := c.pid("2"); got != pid {
			t.Errorf("process %d, not %d", got, pid)
		}
		c.end()
	})
}

func TestStdio_OutlivesItsDaemon(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := editor(t, stage.Options{Nvim: nvim})
		serve(t, e)
		c := start(t, e.Project, e.Env)
		c.greet()
		pid, daemon := e.PIDs()
		if got := c.pid("1"); got != pid {
			t.Errorf("process %d, not %d", got, pid)
		}
		kill(t, daemon)
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		c.until(`"id":2`, "nvim_own_pid")
		if got := c.pid("3"); got != pid {
			t.Errorf("process %d, not %d", got, pid)
		}
		// The client may have been idle instead.
		_, daemon = e.PIDs()
		kill(t, daemon)
		c.until(listChanged)
		if got := c.pid("4"); got != pid {
			t.Errorf("process %d, not %d", got, pid)
		}
		c.end()
	})
}

// A client keeps the editor that it has, whoever else starts in its folder.
func TestStdio_StaysWithItsEditor(t *testing.T) {
	t.Parallel()
	nvim := nvimtest.Versions(t)[0]
	env := stage.Environment(t)
	first := editor(t, stage.Options{Nvim: nvim, Env: env})
	pid := serve(t, first)
	c := start(t, first.Project, env)
	c.greet()
	c.pid("1")
	serve(t, editor(t, stage.Options{Nvim: nvim, Env: env}))
	_, daemon := first.PIDs()
	kill(t, daemon)
	c.until(listChanged)
	if got := c.pid("2"); got != pid {
		t.Errorf("process %d, not %d", got, pid)
	}
}
