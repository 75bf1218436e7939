// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/neovim/go-client/nvim"

	"claudecoded/bench/claude"
)

// stage is the temporary folder of the demo: the sample project, and a home of its own
// for everything that is started.
type stage struct {
	dir     string
	project string
	init    string
	plugin  string
	nvim    string
	exe     string
}

func newStage(nvim string) (*stage, error) {
	plugin, err := pluginFolder()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	dir, err := os.MkdirTemp("", "claudecoded")
	if err != nil {
		return nil, fmt.Errorf("making the demo's folder: %w", err)
	}
	s := &stage{plugin: plugin, nvim: nvim, exe: exe}
	// Folders in lock files have no symbolic links.
	if s.dir, err = filepath.EvalSymlinks(dir); err == nil {
		err = os.CopyFS(s.dir, sample)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making the demo's folder: %w", err), os.RemoveAll(dir))
	}
	s.project = filepath.Join(s.dir, "sample", "project")
	s.init = filepath.Join(s.dir, "sample", "init.lua")
	return s, nil
}

func (s *stage) remove() { _ = os.RemoveAll(s.dir) }

// foreign are the variables that would tie a process to the user's own editors.
var foreign = []string{"NVIM", "MCP_", "CLAUDE", "VIM", "XDG_"}

// environment is the user's without what names other editors, with folders of the
// demo. The home is the demo's too, unless the user is to connect their own client.
func (s *stage) environment(ownHome bool) []string {
	var env []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		drop := ownHome && name == "HOME"
		for _, prefix := range foreign {
			keep := !ownHome && name == "CLAUDE_CONFIG_DIR"
			drop = drop || strings.HasPrefix(name, prefix) && !keep
		}
		if !drop {
			env = append(env, variable)
		}
	}
	env = append(env, "DEMO_PLUGIN="+s.plugin, "DEMO_DAEMON="+s.exe)
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, fmt.Sprintf("XDG_%s_HOME=%s", name, filepath.Join(s.dir, strings.ToLower(name))))
	}
	if ownHome {
		env = append(env, "HOME="+s.dir)
	}
	return env
}

// awaitLock waits for the lock file of the server for the project.
func (s *stage) awaitLock(ctx context.Context) (claude.Lock, error) {
	var lock claude.Lock
	var err error
	deadline, _ := ctx.Deadline()
	found := eventually(time.Until(deadline), func() bool {
		lock, err = claude.Find(filepath.Join(s.dir, ".claude", "ide"), s.project)
		return !errors.Is(err, claude.ErrNoServer) || ctx.Err() != nil
	})
	if found && ctx.Err() != nil {
		err = ctx.Err()
	}
	return lock, err
}

// openNeovim gives the terminal to a Neovim on the project. Its home is the user's, so
// that a real client finds it.
func (s *stage) openNeovim() error {
	cmd := exec.Command(s.nvim, "-u", s.init, "settings.json")
	cmd.Dir, cmd.Env = s.project, s.environment(false)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w", s.nvim, err)
	}
	return nil
}

// neovimEditor is a Neovim with a user interface of no size that anybody sees.
type neovimEditor struct {
	stage  *stage
	client *nvim.Nvim
}

func (e *neovimEditor) name() string { return "Neovim" }
func (e *neovimEditor) faults() int  { return 1 }

func (e *neovimEditor) start(ctx context.Context) error {
	var err error
	e.client, err = nvim.NewChildProcess(
		nvim.ChildProcessContext(ctx),
		nvim.ChildProcessCommand(e.stage.nvim),
		nvim.ChildProcessArgs("--embed", "-u", e.stage.init),
		nvim.ChildProcessDir(e.stage.project),
		nvim.ChildProcessEnv(e.stage.environment(true)),
		nvim.ChildProcessLogf(func(string, ...any) {}))
	if err != nil {
		return fmt.Errorf("starting %s: %w", e.stage.nvim, err)
	}
	// The plugin starts with the first user interface, and the file's swap prompt or an
	// error in the init file would wait for one.
	if err := e.client.AttachUI(100, 30, map[string]any{}); err != nil {
		return errors.Join(fmt.Errorf("attaching to Neovim: %w", err), e.client.Close())
	}
	return nil
}

func (e *neovimEditor) stop() error {
	// The channel ends before the command is answered.
	_ = e.client.Command("qall!")
	if err := e.client.Close(); err != nil && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("ending Neovim: %w", err)
	}
	return nil
}

// memoryEditor is this program once more, with the stand-in for an editor.
type memoryEditor struct {
	stage *stage
	cmd   *exec.Cmd
}

func (e *memoryEditor) name() string { return "Stand-in" }
func (e *memoryEditor) faults() int  { return 0 }

func (e *memoryEditor) start(ctx context.Context) error {
	e.cmd = exec.CommandContext(ctx, e.stage.exe, "serve", "--editor", "memory", "--log-level", "warn")
	e.cmd.Dir, e.cmd.Env, e.cmd.Stderr = e.stage.project, e.stage.environment(true), os.Stderr
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := e.cmd.Start(); err != nil {
		return fmt.Errorf("starting the daemon: %w", err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "MCP server listening on port ") {
		return errors.Join(fmt.Errorf("the daemon printed %q (%v)", line, err), e.stop())
	}
	return nil
}

func (e *memoryEditor) stop() error {
	_ = e.cmd.Process.Signal(syscall.SIGTERM)
	if err := e.cmd.Wait(); err != nil {
		return fmt.Errorf("ending the daemon: %w", err)
	}
	return nil
}
