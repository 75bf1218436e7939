// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package gopls

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// tooled is an editor that has the tools of mcp-tools, whose edits are made without a review.
type tooled struct {
	*stage.Editor
	t *testing.T
}

// start opens an editor in which Lua starts a language server:
// command(name, cmd, filetypes, options).
func start(t *testing.T, nvim string) *tooled {
	t.Helper()
	e := &tooled{stage.Open(t, stage.Options{Nvim: nvim, Env: environment(t)}), t}
	e.Lua(nil, `
		function command(name, cmd, filetypes, options)
			vim.api.nvim_create_autocmd("FileType", {
				pattern = filetypes,
				callback = function(event)
					vim.lsp.start({ name = name, cmd = cmd, root_dir = vim.fn.getcwd(), filetypes = filetypes, init_options = options }, { bufnr = event.buf })
				end,
			})
		end
		require("claudecode.tools").setup()
		require("mcp-tools.config").setup({ edits = "direct" })
		for _, family in ipairs({ "lsp", "diagnostics" }) do
			for _, tool in ipairs(require("mcp-tools.tools." .. family)) do
				tool.timeout = tool.timeout > 0 and 120000 or 0
				require("mcp-tools").register(tool)
			end
		end
	`)
	return e
}

func (e *tooled) cache(path ...string) string {
	return filepath.Join(append([]string{nvimtest.Root(e.t), ".cache"}, path...)...)
}

// ask calls a tool and returns what it answers, in JSON.
func (e *tooled) ask(tool string, arguments map[string]any) string {
	e.t.Helper()
	e.Lua(nil, `
		local name, args = ...
		answer = nil
		local function took(outcome)
			answer = vim.json.encode(outcome.error or outcome.result)
		end
		local outcome = require("mcp-tools.registry").execute(name, args, { on_done = took })
		if not outcome.pending then
			took(outcome)
		end
	`, tool, arguments)
	var answer string
	// A server that begins with a project may take long.
	for range 8 {
		e.Lua(&answer, `vim.wait(15000, function() return answer ~= nil end, 10) return answer or ""`)
		if answer != "" {
			break
		}
	}
	return answer
}

// says checks that an answer contains texts.
func (e *tooled) says(tool string, arguments map[string]any, want ...string) {
	e.t.Helper()
	got := e.ask(tool, arguments)
	for _, part := range want {
		if !strings.Contains(got, part) {
			e.t.Errorf("%s %v: %s does not contain %s", tool, arguments, got, part)
		}
	}
}

// entries are the lines that an answer lists, as path:line:col.
func (e *tooled) entries(tool string, arguments map[string]any, want ...string) {
	e.t.Helper()
	text := e.ask(tool, arguments)
	var list []struct {
		Path      string
		Line, Col int
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		e.t.Fatalf("%s: %v: %s", tool, err, text)
	}
	var got []string
	for _, at := range list {
		got = append(got, fmt.Sprintf("%s:%d:%d", at.Path, at.Line, at.Col))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		e.t.Errorf("%s %v: %q, not %q", tool, arguments, got, want)
	}
}

type args = map[string]any

const goFile = `package main

// Größe😀 says.
type Größe interface{ Sagt(wort string) string }

type Haus struct{}

func (Haus) Sagt(wort string) string { return "😀" + wort }

func rufe(g Größe) string {
	return "é😀" + g.Sagt("x")
}
`

const goMain = `package main

import "fmt"

func main() {
	fmt.Println("é😀", rufe(Haus{}))
}
`

func TestTools_OfGopls(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.Lua(nil, `command("gopls", { (...) }, { "go" })`, e.cache("bin", "gopls"))
		e.Write("go.mod", "module example\n\ngo 1.21\n")
		e.Write("main.go", goMain)
		e.Write("haus.go", goFile)
		e.Command("edit main.go")
		at := func(path string, line int, symbol string) args {
			return args{"path": path, "line": line, "symbol": symbol}
		}
		e.says("lsp_hover", at("haus.go", 4, "Größe"), "type Größe interface", "says")
		e.entries("lsp_definition", at("main.go", 6, "rufe"), "haus.go:10:6")
		e.entries("lsp_type_definition", at("haus.go", 11, "g"), "haus.go:4:6")
		e.entries("lsp_references", at("haus.go", 4, "Sagt"), "haus.go:4:25", "haus.go:11:22")
		e.entries("lsp_implementation", at("haus.go", 4, "Größe"), "haus.go:6:6")
		e.says("lsp_symbols", args{"path": "haus.go"}, `"Größe"`, `"children"`, `"Sagt"`)
		e.says("lsp_workspace_symbols", args{"query": "Haus"}, `"haus.go"`)
		e.says("lsp_signature", at("main.go", 6, "Println"), `Println(a ...any)`)
		e.entries("lsp_incoming_calls", at("haus.go", 10, "rufe"), "main.go:5:6")
		e.says("lsp_outgoing_calls", at("main.go", 5, "main"), `"rufe"`, `"Println"`)
		e.says("lsp_code_actions", args{"path": "main.go", "line": 6}, `"title"`)
		e.says("lsp_declaration", at("main.go", 6, "rufe"), "gopls does not support")
		e.says("lsp_rename", args{"path": "haus.go", "line": 4, "symbol": "Sagt", "new_name": "Tönt"}, `"accepted":["haus.go"]`)
		want := strings.ReplaceAll(goFile, "Sagt", "Tönt")
		if got := e.file("haus.go"); got != want {
			t.Errorf("renamed: %s", got)
		}
		// Another program writes, and the answer is about that.
		e.Write("main.go", strings.Replace(goMain, "rufe(", "missing(", 1))
		e.says("diagnostics_list", args{"path": "main.go", "wait_ms": 60000}, `undefined: missing`, `"lnum":6`, `"col":24`)
		e.Write("main.go", strings.Replace(goMain, `"fmt"`, `"fmt"; import "os"`, 1))
		e.says("diagnostics_list", args{"path": "main.go", "wait_ms": 60000}, `imported and not used`)
		e.says("lsp_apply_code_action", args{"path": "main.go", "line": 1, "kind": "source.organizeImports", "title": "Organize Imports"}, `main.go`)
		if got := e.file("main.go"); strings.Contains(got, `"os"`) {
			t.Errorf("organized: %s", got)
		}
	})
}

func TestTools_OfTwoServersOnOneBuffer(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.Lua(nil, `command("one", { (...) }, { "go" }) command("two", { (...) }, { "go" })`, e.cache("bin", "gopls"))
		e.Write("go.mod", "module example\n\ngo 1.21\n")
		e.Write("main.go", goMain)
		e.Write("haus.go", goFile)
		e.Command("edit haus.go")
		e.entries("lsp_references", args{"line": 4, "symbol": "Sagt"}, "haus.go:4:25", "haus.go:11:22")
		e.says("lsp_rename", args{"line": 4, "symbol": "Sagt", "new_name": "Tönt"}, `"accepted":["haus.go"]`)
		if got := e.file("haus.go"); got != strings.ReplaceAll(goFile, "Sagt", "Tönt") {
			t.Errorf("renamed: %s", got)
		}
	})
}

func TestTools_OfAServerThatIsStoppedAndKilled(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.Lua(nil, `command("gopls", { "sh", "-c", 'echo $$ >pid; exec "$0"', (...) }, { "go" })`, e.cache("bin", "gopls"))
		e.Write("go.mod", "module example\n\ngo 1.21\n")
		e.Write("haus.go", goFile)
		e.Command("edit haus.go")
		at := args{"line": 4, "symbol": "Sagt"}
		e.entries("lsp_references", at, "haus.go:4:25", "haus.go:11:22")
		e.Lua(nil, `
			pid = tonumber(vim.fn.readfile("pid")[1])
			vim.uv.kill(pid, "sigstop")
			for _, tool in ipairs(require("mcp-tools.tools.lsp")) do
				tool.timeout = tool.name == "lsp_hover" and 1000 or tool.timeout
				require("mcp-tools").register(tool)
			end
		`)
		e.says("lsp_hover", at, "gopls did not answer textDocument")
		e.Lua(nil, `vim.defer_fn(function() vim.uv.kill(pid, "sigkill") end, 3000)`)
		e.says("lsp_references", at, "gopls left before it answered textDocument")
	})
}

const tsFile = `export interface Größe { sagt(wort: string): string }
export class Haus implements Größe {
  sagt(wort: string) { return "😀" + wort }
}
export function rufe(g: Größe) { return "é😀" + g.sagt("x") }
`

func TestTools_OfTypeScript(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.Lua(nil, `command("tsserver", { "node", (...), "--stdio" }, { "typescript" }, {
			tsserver = { useSyntaxServer = "never" }, -- it answers before the project is read
		})`,
			e.cache("servers", "node_modules", "typescript-language-server", "lib", "cli.mjs"))
		if err := os.Symlink(e.cache("servers", "node_modules"), filepath.Join(e.Project, "node_modules")); err != nil {
			t.Fatal(err)
		}
		e.Write("tsconfig.json", `{"compilerOptions": {"strict": true}}`)
		e.Write("haus.ts", tsFile)
		e.Write("main.ts", "import { Haus, rufe } from './haus'\n\nconst x: number = '😀' + rufe(new Haus())\n")
		e.Command("edit main.ts")
		e.says("lsp_hover", args{"line": 3, "symbol": "rufe"}, "rufe(g: Größe): string")
		e.entries("lsp_definition", args{"line": 3, "symbol": "rufe"}, "haus.ts:5:17")
		e.entries("lsp_references", args{"path": "haus.ts", "line": 5, "symbol": "rufe"}, "haus.ts:5:17", "main.ts:1:16", "main.ts:3:28")
		e.entries("lsp_implementation", args{"path": "haus.ts", "line": 1, "symbol": "sagt"}, "haus.ts:3:3")
		e.says("lsp_symbols", args{"path": "haus.ts"}, `"Haus"`, `"children"`)
		e.says("lsp_workspace_symbols", args{"query": "Haus"}, `"haus.ts"`)
		e.says("lsp_signature", args{"line": 3, "symbol": "rufe"}, `rufe(g: Größe): string`)
		e.says("lsp_incoming_calls", args{"path": "haus.ts", "line": 5, "symbol": "rufe"}, `"main.ts"`)
		e.says("diagnostics_list", args{"wait_ms": 60000}, "is not assignable to type 'number'", `"lnum":3`)
		e.says("lsp_rename", args{"path": "haus.ts", "line": 5, "symbol": "rufe", "new_name": "rufé"}, `"haus.ts"`, `"main.ts"`)
		if got := e.file("main.ts"); !strings.Contains(got, "'😀' + rufé(new Haus())") || !strings.Contains(got, "{ Haus, rufé }") {
			t.Errorf("renamed: %s", got)
		}
	})
}

func (e *tooled) file(name string) string {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(e.Project, name))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(text)
}
