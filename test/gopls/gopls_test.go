// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package gopls

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// deadline replaces the short ones that Claude's own patience asks for: a machine that is
// busy must not decide this test.
const deadline = time.Minute

// environment is isolated but for the caches of Go, without which gopls would begin by
// compiling the standard library.
func environment(t *testing.T) []string {
	t.Helper()
	env := append(stage.Environment(t), "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOWORK=off")
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
}

// editor is a Neovim that runs gopls for Go files, and a client of it.
type editor struct {
	*stage.Editor
	t      *testing.T
	client *claude.Client
}

func open(t *testing.T, nvim string) *editor {
	t.Helper()
	e := &editor{Editor: stage.Open(t, stage.Options{Nvim: nvim, Env: environment(t)}), t: t}
	e.Lua(nil, `
		local binary, deadline = ...
		for _, tool in ipairs(require("claudecode.tools.builtin").list) do
			tool.timeout = tool.name == "getDiagnostics" and deadline or tool.timeout
		end
		vim.api.nvim_create_autocmd("FileType", {
			pattern = "go",
			callback = function(event)
				vim.lsp.start({ name = "gopls", cmd = { binary }, root_dir = vim.fn.getcwd(), filetypes = { "go" } }, { bufnr = event.buf })
			end,
		})
	`, filepath.Join(nvimtest.Root(t), ".cache", "bin", "gopls"), deadline.Milliseconds())
	_, e.client = e.Serve()
	return e
}

// diagnostics asks once and returns what is said about each file.
func (e *editor) diagnostics(arguments any) map[string][]string {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), 2*deadline)
	defer cancel()
	result, err := e.client.Call(ctx, "getDiagnostics", arguments)
	if err != nil {
		e.t.Fatal(err)
	}
	var files []struct {
		URI         string
		Diagnostics []struct{ Message, Source string }
	}
	if err := result.Decode(&files); err != nil {
		e.t.Fatal(err)
	}
	found := map[string][]string{}
	for _, file := range files {
		name := strings.TrimPrefix(file.URI, "file://"+e.Project+"/")
		for _, d := range file.Diagnostics {
			if d.Source == "compiler" {
				found[name] = append(found[name], d.Message)
			}
		}
		slices.Sort(found[name])
	}
	return found
}

func (e *editor) expect(arguments any, want map[string][]string) {
	e.t.Helper()
	if diff := cmp.Diff(want, e.diagnostics(arguments)); diff != "" {
		e.t.Error(diff)
	}
}

func program(body string) string { return "package main\n\nfunc main() {\n" + body + "}\n" }

func TestGetDiagnostics_OfGoplsAreThoseOfTheTextOnDisk(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim)
		e.Write("go.mod", "module example\n\ngo 1.21\n")
		e.Write("main.go", program("\told()\n"))
		e.Write("other.go", "package main\n\nvar _ = missing\n")
		e.Command("edit main.go")
		uri := map[string]string{"uri": "file://" + e.Project + "/main.go"}
		// Warms gopls up.
		e.expect(uri, map[string][]string{"main.go": {"undefined: old"}})

		for _, arguments := range []any{uri, nil, uri, nil} {
			e.Write("main.go", program("\tfirst()\n\tsecond()\n"))
			got := e.diagnostics(arguments)["main.go"]
			if diff := cmp.Diff([]string{"undefined: first", "undefined: second"}, got); diff != "" {
				t.Error(diff)
			}
			e.Write("main.go", program(""))
			if got := e.diagnostics(arguments)["main.go"]; got != nil {
				t.Errorf("a program without errors: %q", got)
			}
			e.Write("main.go", program("\tagain()\n"))
			if diff := cmp.Diff([]string{"undefined: again"}, e.diagnostics(arguments)["main.go"]); diff != "" {
				t.Error(diff)
			}
		}
		// A file that nobody opened, in gopls's folder.
		other := map[string]string{"uri": "file://" + e.Project + "/other.go"}
		e.expect(other, map[string][]string{"other.go": {"undefined: missing"}})
	})
}
