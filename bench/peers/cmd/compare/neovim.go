// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neovim/go-client/nvim"
)

//go:embed measure.lua
var measureLua string

// direct is the column of what is done without a server.
const direct = "direct"

// neovim is a Neovim with a user interface, on the servers' core.
type neovim struct {
	*nvim.Nvim
	dir string
}

// address is where the plugin's server is.
type address struct {
	Port  int    `msgpack:"port"`
	Token string `msgpack:"token"`
}

// neovim starts one that has nothing of the user's and has loaded what measures in it, but
// not the plugin.
func (b *bench) neovim(ctx context.Context) (*neovim, error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return nil, err
	}
	n := &neovim{dir: dir}
	plugin := "'" + strings.NewReplacer("'", "''", ",", `\,`).Replace(b.plugin) + "'"
	err = b.placed(func() (err error) {
		n.Nvim, err = nvim.NewChildProcess(nvim.ChildProcessContext(ctx), nvim.ChildProcessCommand(b.nvim),
			nvim.ChildProcessArgs("--clean", "--embed", "--cmd", "let &runtimepath = "+plugin+" .. ',' .. &runtimepath"),
			nvim.ChildProcessDir(dir), nvim.ChildProcessEnv(b.environment(dir)), nvim.ChildProcessLogf(func(string, ...any) {}))
		return err
	})
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("starting %s: %w", b.nvim, err)
	}
	if err := n.AttachUI(80, 24, map[string]any{"ext_linegrid": true}); err != nil {
		n.stop()
		return nil, fmt.Errorf("attaching to Neovim: %w", err)
	}
	if err := n.ExecLua("_G.measured = load((...), '=measure.lua')()", nil, measureLua); err != nil {
		n.stop()
		return nil, err
	}
	return n, nil
}

// environment has its own folders and nothing of an editor or a Claude around it. The
// daemon, which Neovim starts, runs as many threads as one that is not kept on a core.
func (b *bench) environment(dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		for _, prefix := range []string{"NVIM", "CLAUDE", "MCP_", "XDG_", "HOME=", "TMPDIR="} {
			if strings.HasPrefix(entry, prefix) {
				return true
			}
		}
		return false
	})
	env = append(env, "HOME="+dir, "TMPDIR="+dir, "GOMAXPROCS="+strconv.Itoa(b.cores))
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+name+"_HOME="+filepath.Join(dir, strings.ToLower(name)))
	}
	return env
}

// stop ends it as one whose user interface hung up.
func (n *neovim) stop() {
	_ = n.Close()
	_ = os.RemoveAll(n.dir)
}

// serve starts the plugin's server.
func (n *neovim) serve(b *bench) (at address, err error) {
	err = n.ExecLua("return measured.serve(...)", &at, filepath.Join(b.bin, ours))
	return at, err
}

// thread is how long Neovim's thread has run, in microseconds.
func (n *neovim) thread() (us float64, err error) {
	err = n.ExecLua("return measured.thread()", &us)
	return us, err
}

// daemon is the process that the plugin started.
func (n *neovim) daemon() (pid int, err error) {
	err = n.ExecLua("return measured.daemon()", &pid)
	return pid, err
}
