// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

func put(t *testing.T, dir string, l Lock, age time.Duration) {
	t.Helper()
	l.Token = sample.Token
	path, err := Write(dir, l)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func ports(found []Found) (all []int) {
	for _, f := range found {
		all = append(all, f.Port)
	}
	return all
}

func TestFind_ReadsOurLocksAndNoOthers(t *testing.T) {
	t.Parallel()
	registry, claude, me := folder(t), folder(t), os.Getpid()
	put(t, registry, Lock{Port: 1001, PID: me, WorkspaceFolders: []string{"/new"}}, 0)
	put(t, registry, Lock{Port: 1002, PID: deadPID(t)}, time.Hour)
	put(t, claude, Lock{Port: 1001, PID: me, WorkspaceFolders: []string{"/same port"}}, 0)
	put(t, claude, Lock{Port: 1002, PID: me}, 2*time.Hour) // the registry's is dead
	put(t, claude, Lock{Port: 1003, PID: me, IDEName: "claudecoded"}, time.Minute)
	put(t, claude, Lock{Port: 1004, PID: me, IDEName: "Visual Studio Code"}, 0)
	for name, text := range map[string]string{
		"1005.lock": `{"pid":1,`, "1006.lock": `{}`, "x.lock": `{}`, "1007.lock.tmp": `{}`, "99999.lock": `{}`,
		"1008.lock": `{"pid":1,"ideName":"Neovim","authToken":"short"}`,
	} {
		if err := os.WriteFile(filepath.Join(claude, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(claude, "1009.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	found, err := Find(registry, claude, filepath.Join(claude, "missing"))
	if diff := cmp.Diff([]int{1001, 1003, 1002}, ports(found)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if found[2].Dead {
		t.Error("the lock of a dead editor hides one of a living")
	}
	if f := found[0]; f.WorkspaceFolders[0] != "/new" || f.Token != sample.Token || f.Dead ||
		f.Path != filepath.Join(registry, "1001.lock") || time.Since(f.Since) > time.Hour {
		t.Errorf("%+v", f)
	}
	if _, err := Find(filepath.Join(claude, "1006.lock")); err == nil || !strings.Contains(err.Error(), "looking for editors") {
		t.Errorf("a file as a folder: %v", err)
	}
}

func TestFind_ReadsSoManyFiles(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	put(t, dir, Lock{Port: 10000, PID: os.Getpid()}, 0)
	text, err := os.ReadFile(filepath.Join(dir, "10000.lock"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxFound {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(10001+i)+".lock"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := Find(dir); err != nil || len(found) != maxFound {
		t.Errorf("%d, %v", len(found), err)
	}
}

func TestPlaces_AreTheRegistryAndTheFolderOfClaude(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"home alone":  {map[string]string{"HOME": "/h"}, []string{"/h/.local/state/claudecoded/editors", "/h/.claude/ide"}},
		"both named":  {map[string]string{"XDG_STATE_HOME": "/s", "CLAUDE_CONFIG_DIR": "/c"}, []string{"/s/claudecoded/editors", "/c/ide"}},
		"local data":  {map[string]string{"LOCALAPPDATA": "/l", "HOME": "/h"}, []string{"/l/claudecoded/editors", "/h/.claude/ide"}},
		"nothing":     {nil, nil},
		"a relative":  {map[string]string{"XDG_STATE_HOME": "s", "HOME": "/h"}, []string{"/h/.claude/ide"}},
		"claude only": {map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, []string{"/c/ide"}},
	} {
		got := Places(func(variable string) string { return test.env[variable] })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestChoose_TakesTheEditorThatIsMeant(t *testing.T) {
	t.Parallel()
	at := func(port, pid int, dead bool, folders ...string) Found {
		return Found{Lock: Lock{Port: port, PID: pid, WorkspaceFolders: folders}, Dead: dead}
	}
	found := []Found{ // the newest first
		at(1, 11, false, "/a"), at(2, 12, false, "/a"), at(3, 13, false, "/b", "/a/in"), at(4, 14, true, "/a/in/deep"),
		at(5, 15, false, "relative"), at(6, 16, false, "/a/in2"),
	}
	for name, test := range map[string]struct {
		wanted Wanted
		port   int
		err    string
	}{
		"the newest of two":         {Wanted{Folder: "/a"}, 1, ""},
		"below":                     {Wanted{Folder: "/a/other"}, 1, ""},
		"the deepest":               {Wanted{Folder: "/a/in/deep/er"}, 3, ""},
		"a name that begins alike":  {Wanted{Folder: "/a/in2"}, 6, ""},
		"a second folder":           {Wanted{Folder: "/b/x"}, 3, ""},
		"none":                      {Wanted{Folder: "/c"}, 0, "no Neovim with claudecoded runs for /c; start"},
		"the root":                  {Wanted{Folder: "/"}, 0, "for /; start"},
		"the one before":            {Wanted{Folder: "/a", Before: []int{0, 12}}, 2, ""},
		"the first that runs":       {Wanted{Folder: "/a", Before: []int{99, 14, 15, 13}}, 5, ""},
		"by port":                   {Wanted{Folder: "/c", Port: 6}, 6, ""},
		"by port, not by the one":   {Wanted{Before: []int{11}, Port: 6}, 6, ""},
		"by process":                {Wanted{Folder: "/c", PID: 15}, 5, ""},
		"a port that is none":       {Wanted{Folder: "/a", Port: 9}, 0, "runs on port 9; start"},
		"a process that is none":    {Wanted{Folder: "/a", PID: 9}, 0, "runs in process 9; start"},
		"a process that has ended":  {Wanted{Folder: "/a", PID: 14}, 0, "has ended; start"},
		"a port whose editor ended": {Wanted{Port: 4}, 0, "process 14) that claudecoded served on port 4 has ended"},
	} {
		got, err := test.wanted.Choose(found)
		if test.err == "" && (err != nil || got.Port != test.port) {
			t.Errorf("%s: %d, %v", name, got.Port, err)
		}
		if test.err != "" && (!errors.Is(err, ErrNoEditor) || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNeovimPID_KnowsWhoListens(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		v := nvimtest.Start(t, nvimtest.Options{Nvim: binary})
		var pid int
		if err := v.Eval("getpid()", &pid); err != nil {
			t.Fatal(err)
		}
		for name, expr := range map[string]string{"its own address": "v:servername", "another": "serverstart('" + filepath.Join(nvimtest.Dir(t), "s") + "')"} {
			var at string
			if err := v.Eval(expr, &at); err != nil {
				t.Fatal(err)
			}
			if got := NeovimPID(at); got != pid {
				t.Errorf("%s: %d, not %d", name, got, pid)
			}
		}
	})
	for address, want := range map[string]int{
		"": 0, "/no/such/socket": 0, "127.0.0.1:1": 0,
		"/run/user/1000/nvim.4711.0": 4711, `\\.\pipe\nvim.4711.0`: 4711, "/tmp/nvim.user/x/name.12.3": 12,
	} {
		if got := NeovimPID(address); got != want {
			t.Errorf("%q: %d, not %d", address, got, want)
		}
	}
}

func TestChanges_TellOfEveryLockThatComesOrGoes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "made", "here")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changed, err := Changes(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	told := func(what string) {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(nvimtest.Patience):
			t.Fatal("not told of", what)
		}
	}
	for range 3 {
		put(t, dir, Lock{Port: 1001, PID: 1}, 0)
		told("a lock")
		if err := os.Remove(filepath.Join(dir, "1001.lock")); err != nil {
			t.Fatal(err)
		}
		told("its end")
	}
	file := filepath.Join(folder(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Changes(ctx, file); err == nil {
		t.Error("a file can be watched")
	}
}
