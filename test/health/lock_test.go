// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// beside writes a lock file of another editor.
func (d *desk) beside(name string, pid int, folders ...string) string {
	d.t.Helper()
	text, err := json.Marshal(map[string]any{
		"pid": pid, "workspaceFolders": folders, "ideName": "Other", "transport": "ws", "authToken": "somebody else's",
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.put(name, string(text))
}

func (d *desk) put(name, text string) string {
	d.t.Helper()
	path := filepath.Join(stage.LockDir(d.Env), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func TestHealth_TellsOtherLockFilesFromItsOwn(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		elsewhere := d.beside("1.lock", os.Getpid(), "/else", d.Project+"/below")
		link := filepath.Join(nvimtest.Lookup(d.Env, "HOME"), "link")
		if err := os.Symlink(d.Project, link); err != nil {
			t.Fatal(err)
		}
		d.beside("2.lock", os.Getpid(), link) // Claude resolves its own folder only
		if report := d.says("no other lock file matches this folder"); strings.Contains(report, elsewhere) {
			t.Error(report)
		}
		dead := d.beside("3.lock", 1<<30, d.Project)
		broken := d.put("4.lock", "/a\n/b\n")
		fifo := filepath.Join(stage.LockDir(d.Env), "5.lock")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		d.says(
			"a lock file whose editor is gone: "+dead, "cannot be read: "+broken+": it is no JSON object",
			"cannot be read: "+fifo+": it is no file", "no other lock file matches this folder",
		)
		one := d.beside("6.lock", os.Getpid(), "/else", filepath.Dir(d.Project)+"/")
		two := d.beside("7.lock", os.Getpid(), d.Project+"/x/..")
		report := d.says("WARNING 2 more lock file(s) match this folder, so `claude --ide` connects to none: ",
			fmt.Sprintf("%s (Other, pid %d)", one, os.Getpid()), two, "Choose this editor with /ide")
		if strings.Contains(report, "somebody else's") {
			t.Error("the report has another editor's token")
		}
	})
}

// The daemon is stopped, or it would write the file again.
func TestHealth_ReadsTheLockFile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		d.stop()
		write := func(change func(lock map[string]any)) {
			t.Helper()
			lock := map[string]any{
				"pid": d.lock.PID, "workspaceFolders": []string{d.Project}, "transport": "ws", "authToken": d.lock.AuthToken,
			}
			change(lock)
			text, _ := json.Marshal(lock)
			d.put(filepath.Base(d.lock.Path), string(text))
		}
		write(func(lock map[string]any) { lock["pid"] = 1 })
		d.says("ERROR the lock file is wrong: its pid is 1, not that of this Neovim")
		write(func(lock map[string]any) { lock["transport"] = "sse"; lock["authToken"] = "another" })
		if report := d.says(`its transport is "sse", not "ws"; its token is not the server's`); strings.Contains(report, "another\n") {
			t.Error("the report has the token")
		}
		write(func(lock map[string]any) { delete(lock, "authToken"); lock["workspaceFolders"] = []any{"/else", 7} })
		d.says("it has no token", "none of its folders (/else) contains the working folder "+d.Project, ":cd, or start Claude in one")
		link := filepath.Join(nvimtest.Lookup(d.Env, "HOME"), "link")
		if err := os.Symlink(d.Project, link); err != nil {
			t.Fatal(err)
		}
		write(func(lock map[string]any) { lock["workspaceFolders"] = []string{link} })
		d.says("a folder is a symbolic link, which Claude never matches: "+link, "none of its folders")
		d.put(filepath.Base(d.lock.Path), "{")
		d.says("ERROR the lock file cannot be read: it is no JSON object")
		if err := os.Remove(d.lock.Path); err != nil {
			t.Fatal(err)
		}
		d.says("ERROR the lock file is missing: " + d.lock.Path)
	})
}

func TestHealth_ComparesClaudesFolderWithTheLockFiles(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		config := nvimtest.Dir(t)
		d.Lua(nil, `vim.env.CLAUDE_CONFIG_DIR = ...`, config)
		// ~/.claude/ide is read too.
		d.says("CLAUDE_CONFIG_DIR is set, to "+config+": a Claude that is started elsewhere needs the same", "no other lock file matches")
		d.Lua(nil, `vim.env.HOME = ...`, config)
		d.says("a Claude that is started from here looks for lock files in "+config+"/ide, not in "+stage.LockDir(d.Env),
			"CLAUDE_CONFIG_DIR was changed after Neovim had started")
	})
}
