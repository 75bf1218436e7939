// Copyright (c) 2026 the claudecoded authors. MIT license.

package stdio

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestStdio_HeadlessHasANeovimOfItsOwn(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		env = append(env, "PATH="+filepath.Dir(nvim)+":"+os.Getenv("PATH"))
		home := nvimtest.Lookup(env, "HOME")
		c := start(t, home, env, "--headless")
		c.greet()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		c.until(`"id":1`, `"tools":[{`)
		c.send(call("2", "getWorkspaceFolders"))
		c.until(`"id":2`, home)
		if _, editors := list(t, env); len(editors) != 0 {
			t.Errorf("others find it: %v", editors)
		}
		if stage.Exists(stage.LockDir(env)) {
			t.Error("it is there for Claude Code")
		}
		children := children(t, c.cmd.Process.Pid)
		if len(children) == 0 {
			t.Error("there is no Neovim")
		}
		c.end()
		for _, pid := range children {
			nvimtest.Eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !stage.Running(pid) })
		}
	})
}

// children are the processes that a process has started.
func children(t *testing.T, pid int) (found []int) {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may be gone
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, child)
		}
	}
	return found
}
