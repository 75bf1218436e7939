// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// leave makes an editor end. What it answers is of no use: the editor ends meanwhile.
type leave func(e *stage.Editor, pid int)

func types(keys string) leave {
	return func(e *stage.Editor, _ int) { _, _ = e.Input(keys) }
}

func gets(signal syscall.Signal) leave {
	return func(_ *stage.Editor, pid int) { _ = syscall.Kill(pid, signal) }
}

func TestExit_LeavesNothing(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]leave{
		":qa":     types(":qa<CR>"),
		":qa!":    types("iunsaved<Esc>:qa!<CR>"),
		":cq":     types(":cq<CR>"),
		"ZZ":      types("ZZ"),
		"SIGKILL": gets(syscall.SIGKILL),
		"SIGHUP":  gets(syscall.SIGHUP),
		"SIGTERM": gets(syscall.SIGTERM),
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
				lock, client := e.Serve()
				neovim, daemon := e.PIDs()
				left := time.Now()
				leave(e, neovim)
				stage.ExpectGone(t, left, daemon, lock, client)
			})
		})
	}
}

func TestExit_ThatWritesNeverComplainsAboutARunningJob(t *testing.T) {
	t.Parallel()
	for _, command := range []string{":wqa", ":xa", ":wall|qall"} {
		t.Run(command, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
				lock, client := e.Serve()
				_, daemon := e.PIDs()
				left := time.Now()
				types(":e new.txt<CR>iwritten<Esc>"+command+"<CR>")(e, 0)
				stage.ExpectGone(t, left, daemon, lock, client)
				if text, err := os.ReadFile(filepath.Join(e.Project, "new.txt")); string(text) != "written\n" {
					t.Errorf("the file holds %q, %v", text, err)
				}
			})
		})
	}
}
