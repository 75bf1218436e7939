// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

var sample = Lock{Port: 12345, PID: 4711, Token: "0123456789abcdef0123456789abcdef"}

// folder is a temporary folder without links in its path.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if strings.ContainsAny(string(text), "\n") {
		t.Errorf("more than one line: %q", text)
	}
	return v
}

func TestWrite_HasExactlyTheKeysOfTheProtocol(t *testing.T) {
	t.Parallel()
	dir, work := folder(t), folder(t)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(work, link); err != nil {
		t.Fatal(err)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if wd, err = filepath.EvalSymlinks(wd); err != nil {
		t.Fatal(err)
	}
	l := sample
	l.WorkspaceFolders = []string{link, work, work + "/", "", "/no/such/../folder <&>", link, "."}
	path, err := Write(filepath.Join(dir, "ide"), l)
	if err != nil || path != filepath.Join(dir, "ide", "12345.lock") {
		t.Fatal(path, err)
	}
	want := map[string]any{
		"pid": 4711.0, "ideName": "Neovim", "transport": "ws", "authToken": l.Token,
		"workspaceFolders": []any{work, "/no/folder <&>", wd},
	}
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Error(diff)
	}
	l.WorkspaceFolders, l.IDEName = nil, "Other"
	if path, err = Write(filepath.Join(dir, "ide"), l); err != nil {
		t.Fatal(err)
	}
	if v := read(t, path); cmp.Diff(v["workspaceFolders"], []any{}) != "" || v["ideName"] != "Other" {
		t.Errorf("%v", v)
	}
}

func TestWrite_IsForTheUserAlone(t *testing.T) {
	t.Parallel()
	base := folder(t)
	dir := filepath.Join(base, "new", "ide")
	open := filepath.Join(base, "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(open, "12345.lock")
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, open} {
		path, err := Write(d, sample)
		if err != nil {
			t.Fatal(err)
		}
		for p, mode := range map[string]os.FileMode{path: 0o600, d: 0o700 | os.ModeDir} {
			if info, err := os.Stat(p); err != nil || info.Mode() != mode {
				t.Errorf("%s has mode %v, %v", p, info.Mode(), err)
			}
		}
		entries, err := os.ReadDir(d)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s holds %v, %v", d, entries, err)
		}
	}
}

func TestWrite_RefusesWhatClientsCannotUse(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(l *Lock){
		"port number out of valid range (1-65535): 0":            func(l *Lock) { l.Port = 0 },
		"port number out of valid range (1-65535): 65536":        func(l *Lock) { l.Port = 65536 },
		"no process id of the editor: 0":                         func(l *Lock) { l.PID = 0 },
		"authentication token too short (minimum 10 characters)": func(l *Lock) { l.Token = strings.Repeat("x", 9) },
		"authentication token too long (maximum 500 characters)": func(l *Lock) { l.Token = strings.Repeat("x", 501) },
	} {
		l, dir := sample, filepath.Join(folder(t), "ide")
		change(&l)
		if _, err := Write(dir, l); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("the folder was made all the same")
		}
	}
	for _, n := range []int{10, 500} {
		if err := CheckToken(strings.Repeat("x", n)); err != nil {
			t.Error(n, err)
		}
	}
}

func TestWrite_SaysWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	base := folder(t)
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(base, "dangling")
	if err := os.Symlink("/no/such/target", dangling); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		file:                           file + " is a file",
		file + "/a/ide":                file + " is a file",
		dangling:                       dangling + " is a link to /no/such/target, which does not exist",
		filepath.Join(dangling, "ide"): dangling + " is a link to /no/such/target, which does not exist",
	} {
		_, err := Write(dir, sample)
		if want := "making the lock folder " + dir + ": " + want; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	occupied := filepath.Join(base, "ide", "12345.lock")
	if err := os.MkdirAll(occupied, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(filepath.Dir(occupied), sample); err == nil || !strings.HasPrefix(err.Error(), "writing the lock file in "+filepath.Dir(occupied)+": ") {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(occupied)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ config, want string }{
		{"", "/home/me/.claude/ide"},
		{"  \t", "/home/me/.claude/ide"},
		{"/c x/ü", "/c x/ü/ide"},
		{"/c/", "/c/ide"},
		{"/c//d/../e/", "/c/e/ide"},
		{"rel", filepath.Join(wd, "rel", "ide")},
		{"./rel/", filepath.Join(wd, "rel", "ide")},
		{"~", "/home/me/ide"},
		{"~/x", "/home/me/x/ide"},
		{"~other/x", filepath.Join(wd, "~other/x/ide")},
		{"$HOME/x", filepath.Join(wd, "$HOME/x/ide")},
	} {
		env := map[string]string{"CLAUDE_CONFIG_DIR": c.config, "HOME": "/home/me"}
		if got, err := Dir(func(name string) string { return env[name] }); err != nil || got != c.want {
			t.Errorf("%q: %s %v, want %s", c.config, got, err, c.want)
		}
	}
	if _, err := Dir(func(string) string { return "" }); err == nil {
		t.Error("there is a folder without a home")
	}
}

func TestNewToken_IsRandomOrAnError(t *testing.T) {
	t.Parallel()
	a, err := NewToken()
	if err != nil || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(a) {
		t.Error(a, err)
	}
	if b, _ := NewToken(); a == b {
		t.Error("the same token twice")
	}
	broken := errors.New("no entropy")
	if token, err := newToken(iotest.ErrReader(broken)); token != "" || !errors.Is(err, broken) {
		t.Error(token, err)
	}
	if token, err := newToken(strings.NewReader("short")); token != "" || err == nil {
		t.Error(token, err)
	}
}

func TestRemove_OfALockThatIsGoneIsFine(t *testing.T) {
	t.Parallel()
	path, err := Write(folder(t), sample)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Remove(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("it is still there")
	}
	full := folder(t)
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Remove(full); err == nil {
		t.Error("removed a folder that is not empty")
	}
}
