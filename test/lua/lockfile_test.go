// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

// answer is what a function of claudecode.lockfile returns, as text.
func answer(e *editor, call string) string {
	return value[string](e, `
		local function all(...)
			local texts = {}
			for i = 1, select("#", ...) do
				texts[i] = tostring((select(i, ...)))
			end
			return table.concat(texts, " ")
		end
		return all(pcall(require("claudecode.lockfile").`+call+`))`)
}

func TestLockfile_IsWrittenForTheUserAlone(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		dir := value[string](e, `return require("claudecode.lockfile").lock_dir`)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(nvimtest.Dir(t), "link")
		folder := nvimtest.Dir(t)
		if err := os.Symlink(folder, link); err != nil {
			t.Fatal(err)
		}
		e.lua(nil, `
			local folders = { ... }
			require("claudecode.lockfile").get_workspace_folders = function() return folders end`, link, "/no/such folder")
		path := filepath.Join(dir, "4711.lock")
		for _, token := range []string{"0123456789", "another token"} { // the second replaces the first
			if got := answer(e, fmt.Sprintf("create, 4711, %q", token)); got != "true true "+path+" "+token {
				t.Errorf("create answered %s", got)
			}
			lock, err := claude.ReadLock(path)
			if err != nil {
				t.Fatal(err)
			}
			want := claude.Lock{
				PID: value[int](e, "return vim.fn.getpid()"), WorkspaceFolders: []string{folder, "/no/such folder"}, IDEName: "Neovim",
				Transport: "ws", AuthToken: token, Path: path, Port: 4711,
			}
			if diff := cmp.Diff(want, lock); diff != "" {
				t.Error(diff)
			}
			if got := answer(e, "get_auth_token, 4711"); got != "true true "+token {
				t.Errorf("get_auth_token answered %s", got)
			}
		}
		for path, mode := range map[string]os.FileMode{path: 0o600, dir: os.ModeDir | 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
			}
		}
		update := regexp.MustCompile(`^true true ` + regexp.QuoteMeta(path) + ` [0-9a-f]{32}$`)
		first, second := answer(e, "update, 4711"), answer(e, "update, 4711")
		if !update.MatchString(first) || !update.MatchString(second) || first == second {
			t.Errorf("update answered %s, then %s", first, second)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the folder holds %v, %v", entries, err)
		}
		if got := answer(e, "remove, 4711"); got != "true true nil" {
			t.Errorf("remove answered %s", got)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("it is still there")
		}
	})
}

func TestLockfile_SaysWhatIsWrong(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		dir := value[string](e, `return require("claudecode.lockfile").lock_dir`)
		for call, want := range map[string]string{
			`create, "4711"`:            "true false Invalid port number",
			`create, 1.5`:               "true false Invalid port number",
			`create, 0`:                 "true false Port number out of valid range (1-65535): 0",
			`remove, 65536`:             "true false Port number out of valid range (1-65535): 65536",
			`create, 1, 5`:              "true false Authentication token must be a string, got number",
			`create, 1, "short"`:        "true false Authentication token too short (minimum 10 characters)",
			`create, 1, ("x"):rep(501)`: "true false Authentication token too long (maximum 500 characters)",
			`remove, 2`:                 "true false Failed to remove lock file: ENOENT: no such file or directory: " + dir + "/2.lock",
			`get_auth_token, 2`:         "true false nil No lock file can be read: " + dir + "/2.lock",
			`get_auth_token, "2"`:       "true false nil Invalid port number",
			`get_auth_token, 1`:         "true false nil No lock file can be read: " + dir + "/1.lock",
		} {
			if got := answer(e, call); got != want {
				t.Errorf("%s answered %s, want %s", call, got, want)
			}
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "3.lock"), []byte(`{"authToken":5}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := answer(e, "get_auth_token, 3"); got != "true false nil No authentication token in "+dir+"/3.lock" {
			t.Error(got)
		}
		if err := os.Mkdir(filepath.Join(dir, "4.lock"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := answer(e, "create, 4"); !strings.HasPrefix(got, "true false Failed to write lock file: ") {
			t.Error(got)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
			t.Errorf("the folder holds %v, %v", entries, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := answer(e, "create, 5"); !strings.HasPrefix(got, "true false Failed to create lock directory: ") {
			t.Error(got)
		}
	})
}

func TestLockfile_RefusesATokenThatCouldBeGuessed(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `vim.uv.random = function() return nil, "EIO: i/o error" end`)
		const want = "no random bytes for the authentication token: EIO: i/o error"
		if got := answer(e, "generate_auth_token"); got != "false "+want {
			t.Error(got)
		}
		if got := answer(e, "create, 4711"); got != "true false "+want {
			t.Error(got)
		}
	})
}
