// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// goProgram stands for the go command: it has a version, and builds as BUILD says.
const goProgram = `#!/bin/sh
case $1 in
env) [ -z "$ENV_FAILS" ] || { echo "go: go.mod requires go >= 1.26.0" >&2; exit 1; }; echo "$VERSION" ;;
build)
  while [ "$1" != -o ]; do shift; done
  echo "built $CGO_ENABLED $3" >"$2"
  [ -z "$BUILD_FAILS" ] || { echo "main.go:1: no luck" >&2; exit 2; } ;;
esac
`

// builder is a plugin folder with build.lua, and a PATH with that go.
type builder struct {
	nvim, folder string
	env          []string
}

func newBuilder(t *testing.T, nvim string, withGo bool, env ...string) builder {
	t.Helper()
	b := builder{nvim: nvim, folder: nvimtest.Dir(t), env: nvimtest.Env(t)}
	if err := os.Symlink(filepath.Join(nvimtest.Root(t), "build.lua"), filepath.Join(b.folder, "build.lua")); err != nil {
		t.Fatal(err)
	}
	path := nvimtest.Dir(t)
	if withGo {
		if err := nvimtest.WriteProgram(filepath.Join(path, "go"), goProgram); err != nil {
			t.Fatal(err)
		}
	}
	b.env = append(append(b.env, "PATH="+path, "VERSION=go1.26.3"), env...)
	return b
}

func (b builder) binary() string { return filepath.Join(b.folder, "bin", "claudecoded") }

// run runs Neovim with arguments, and returns what it printed and whether it succeeded.
func (b builder) run(args ...string) (string, bool) {
	cmd := exec.Command(b.nvim, append([]string{"--clean", "--headless"}, args...)...)
	cmd.Env, cmd.Dir = b.env, nvimtest.Lookup(b.env, "HOME")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestBuild_MakesTheProgram(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		b := newBuilder(t, nvim, true)
		out, ok := b.run("-l", filepath.Join(b.folder, "build.lua"))
		if !ok || !strings.Contains(out, "built "+b.binary()) {
			t.Errorf("%v: %s", ok, out)
		}
		if got, err := os.ReadFile(b.binary()); err != nil || string(got) != "built 0 ./cmd/claudecoded\n" {
			t.Errorf("%s, %v", got, err)
		}
	})
}

func TestBuild_SaysWhatIsWrong(t *testing.T) {
	rows := map[string]struct {
		withGo bool
		env    string
		want   string
	}{
		"no go":          {false, "", "go was not found on PATH. claudecoded needs Go 1.26 or newer to be built: https://go.dev/dl/"},
		"an old go":      {true, "VERSION=go1.25.9", "found go1.25. claudecoded needs Go 1.26 or newer to be built: https://go.dev/dl/"},
		"an older go":    {true, "VERSION=go1.9", "found go1.9. claudecoded needs Go 1.26"},
		"a strict go":    {true, "ENV_FAILS=1", "go: go.mod requires go >= 1.26.0"},
		"a failed build": {true, "BUILD_FAILS=1", "go build failed (exit code 2): main.go:1: no luck"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBuilder(t, nvim, row.withGo, row.env)
				out, ok := b.run("-l", filepath.Join(b.folder, "build.lua"))
				if ok || !strings.Contains(out, row.want) {
					t.Errorf("%v: %s", ok, out)
				}
				left, err := filepath.Glob(filepath.Join(b.folder, "bin", "*"))
				if err != nil || len(left) != 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	})
}

// A plugin manager runs the file in a coroutine and shows what that yields.
func TestBuild_YieldsToAPluginManager(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		b := newBuilder(t, nvim, true)
		script := filepath.Join(b.folder, "manager.lua")
		code := `
			-- As lazy.nvim does: what has its turn is off the list, and an empty list ends all turns.
			local active = { coroutine.create(assert(loadfile(_G.arg[1]))) }
			local executor = vim.uv.new_check()
			executor:start(vim.schedule_wrap(function()
				local build = table.remove(active, 1)
				if build then
					local ok, said = coroutine.resume(build)
					if said then io.write(tostring(ok), " ", said, "\n") end
					if coroutine.status(build) ~= "dead" then table.insert(active, build) end
				end
				if #active == 0 then executor:stop() end
			end))
			vim.wait(60000, function() return not executor:is_active() end, 1)
		`
		if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		out, ok := b.run("-l", script, filepath.Join(b.folder, "build.lua"))
		if !ok || strings.Contains(out, "false") || !strings.Contains(out, "true building "+b.binary()+"\n") ||
			!strings.Contains(out, "true built "+b.binary()+"\n") {
			t.Errorf("%v: %s", ok, out)
		}
	})
}
