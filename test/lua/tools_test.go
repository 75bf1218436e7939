// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// builtinTools are the tools that the plugin brings, in their order.
var builtinTools = []string{
	"openFile", "getCurrentSelection", "getOpenEditors", "openDiff", "getLatestSelection", "closeAllDiffTabs",
	"getDiagnostics", "getWorkspaceFolders", "checkDocumentDirty", "saveDocument", "close_tab",
}

func TestGetWorkspaceFolders_IsTheWorkingDirectory(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		dir := filepath.Dir(e.file("a b/f", ""))
		e.lua(nil, "vim.cmd.cd({ args = { ... }, magic = { file = false } })", dir)
		got := value[string](e, `
			local r = vim.json.decode((...))
			local f = r.folders[1]
			return table.concat({ tostring(r.success), r.rootPath, #r.folders, f.name, f.path, f.uri }, "\n")
		`, e.call("getWorkspaceFolders", map[string]any{}))
		if want := "true\n" + dir + "\n1\na b\n" + dir + "\nfile://" + dir; got != want {
			t.Errorf("%s\nnot\n%s", got, want)
		}
	})
}

// diagnose opens a file and reports diagnostics on it.
func (e *editor) diagnose(path, diagnostics string) {
	e.t.Helper()
	e.lua(nil, `
		vim.api.nvim_cmd({ cmd = "edit", args = { (...) }, magic = { file = false, bar = false } }, {})
		vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, `+diagnostics+`)
	`, path)
}

func TestGetDiagnostics_ReportsBytesFromZeroAndWords(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		if got := e.call("getDiagnostics", map[string]any{}); got != "[]" {
			t.Errorf("no diagnostics: %s", got)
		}
		path := e.file("f.txt", "éé x\ny\n")
		e.diagnose(path, `{
			{ lnum = 0, col = 5, end_lnum = 1, end_col = 1, message = "m1", severity = 1, source = "s", code = 12 },
			{ lnum = 1, col = 0, message = "m2", severity = 2, code = "E1" },
			{ lnum = 1, col = 0, message = "m3", severity = 3 },
			{ lnum = 1, col = 0, message = "m4", severity = 4 },
		}`)
		e.diagnose(e.file("g.txt", "z\n"), `{ { lnum = 0, col = 0, message = "g", severity = 1 } }`)
		compact := `
			local lines = {}
			for _, file in ipairs(vim.json.decode((...))) do
				table.insert(lines, file.uri)
				for _, d in ipairs(file.diagnostics) do
					local a, b = d.range.start, d.range["end"]
					table.insert(lines, ("%s %s %s %s %d:%d-%d:%d"):format(
						d.severity, d.message, d.source or "-", type(d.code) == "string" and d.code or "-",
						a.line, a.character, b.line, b.character))
				end
			end
			return table.concat(lines, "\n")
		`
		first := "file://" + path + "\nError m1 s 12 0:5-1:1\nWarning m2 - E1 1:0-1:0\nInfo m3 - - 1:0-1:0\nHint m4 - - 1:0-1:0"
		second := "file://" + filepath.Join(filepath.Dir(path), "g.txt") + "\nError g - - 0:0-0:0"
		for _, uri := range []any{nil, ""} {
			args := map[string]any{}
			if uri != nil {
				args["uri"] = uri
			}
			got := value[string](e, compact, e.call("getDiagnostics", args))
			if got != first+"\n"+second && got != second+"\n"+first {
				t.Errorf("all files: %s", got)
			}
		}
		got := value[string](e, compact, e.call("getDiagnostics", map[string]any{"uri": "file://" + path}))
		if diff := cmp.Diff(first, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestGetDiagnostics_FindsTheFileHoweverItIsWritten(t *testing.T) {
	names := map[string][]string{
		"plain.txt":  {"plain.txt"},
		"a b/[id].x": {"a b/[id].x", "a%20b/%5Bid%5D.x"},
		"100%25":     {"100%25", "100%2525"},
		"$HOME é":    {"$HOME é", "%24HOME%20%C3%A9"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		e.file("plain.txt.old", "x\n")
		for name, forms := range names {
			path := e.file(name, "x\n")
			e.diagnose(path, `{ { lnum = 0, col = 0, message = "m", severity = 1 } }`)
			dir := strings.TrimSuffix(path, name)
			uris := []string{path, "~/" + name}
			for _, form := range forms {
				uris = append(uris, "file://"+dir+form, "file://localhost"+dir+form)
			}
			for _, uri := range uris {
				got := e.call("getDiagnostics", map[string]any{"uri": uri})
				uri2 := value[string](e, `return (vim.json.decode((...))[1] or {}).uri or "none"`, got)
				if uri2 != "file://"+path {
					t.Errorf("%s: %s", uri, got)
				}
			}
		}
	})
}

func TestGetDiagnostics_OfAFileThatIsNotOpenIsAnError(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		open := e.file("sub/f.txt", "x\n")
		e.call("openFile", map[string]any{"filePath": open})
		unloaded := e.file("u.txt", "x\n")
		e.lua(nil, `vim.fn.bufadd((...))`, unloaded)
		rows := map[any]string{
			"file:///nope":        "-32001 File not open: File must be open to retrieve diagnostics: /nope",
			"file:///a%20b":       "-32001 File not open: File must be open to retrieve diagnostics: /a%20b",
			"/f.txt":              "-32001 File not open: File must be open to retrieve diagnostics: /f.txt",
			"file://" + unloaded:  "-32001 File not open: File must be open to retrieve diagnostics: " + unloaded,
			5:                     "-32602 Invalid params: uri must be a string",
			"file://" + open:      "[]",
			"file://" + open[:12]: "-32001 File not open: File must be open to retrieve diagnostics: " + open[:12],
		}
		for uri, want := range rows {
			if got := e.call("getDiagnostics", map[string]any{"uri": uri}); got != want {
				t.Errorf("%v: %s", uri, got)
			}
		}
	})
}

func TestTools_HaveStrictSchemas(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		got := value[string](e, `
			local lines = {}
			for _, tool in ipairs(require("claudecode.tools").get_tool_list()) do
				local s = tool.inputSchema
				local properties = vim.tbl_keys(s.properties)
				table.sort(properties)
				table.insert(lines, table.concat({
					tool.name, s["$schema"], s.type, tostring(s.additionalProperties),
					table.concat(properties, ","), table.concat(s.required or {}, ","),
				}, " "))
			end
			return table.concat(lines, "\n")
		`)
		const draft = " http://json-schema.org/draft-07/schema# object false "
		want := "openFile" + draft + "endLine,endText,filePath,makeFrontmost,preview,selectToEndOfLine,startLine,startText filePath\n" +
			"getCurrentSelection" + draft + " \n" +
			"getOpenEditors" + draft + " \n" +
			"openDiff" + draft + "new_file_contents,new_file_path,old_file_path,tab_name old_file_path,new_file_path,new_file_contents,tab_name\n" +
			"getLatestSelection" + draft + " \n" +
			"closeAllDiffTabs" + draft + " \n" +
			"getDiagnostics" + draft + "uri \n" +
			"getWorkspaceFolders" + draft + " \n" +
			"checkDocumentDirty" + draft + "filePath filePath\n" +
			"saveDocument" + draft + "filePath filePath"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTools_KeepWhatTheUserRegisteredFirst(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `require("mcp-tools").register({ name = "openFile", description = "mine", execute = function() end })`)
		if got := value[string](e, `
			require("claudecode.tools").setup()
			return require("mcp-tools").list_tools().openFile.description
		`); got != "mine" {
			t.Error(got)
		}
	})
}

func TestTools_RegisterAndInvokeAsTheOriginalDid(t *testing.T) {
	prepare := `local tools = require("claudecode.tools")
		local handler
		tools.register("listed", { type = "object", description = "d" }, function(params) return handler(params) end)
		tools.register("hidden", nil, function() return { content = {} } end)
		local function invoke(name, f)
			handler = f
			return tools.handle_invoke({ id = "client_1" }, { name = name, arguments = { a = 1 } })
		end `
	run(t, []script{
		{"listed", prepare + `return tools.get_tool_list()`,
			`{ { description = "d", inputSchema = { description = "d", type = "object" }, name = "listed" } }`},
		{"a result", prepare + `return invoke("listed", function(p) return { content = { p.a } } end)`, `{ result = { content = { 1 } } }`},
		{"hidden, but callable", prepare + `return invoke("hidden")`, `{ result = { content = {} } }`},
		{"false and a text", prepare + `return invoke("listed", function() return false, "bad" end)`,
			`{ error = { code = -32000, data = "bad", message = "bad" } }`},
		{"false and an error", prepare + `return invoke("listed", function() return false, { code = -1, message = "m" } end)`,
			`{ error = { code = -1, message = "m" } }`},
		{"false alone", prepare + `return invoke("listed", function() return false end)`,
			`{ error = { code = -32000, message = "Tool failed" } }`},
		{"nothing", prepare + `return invoke("listed", function() end)`,
			`{ error = { code = -32603, data = "Tool handler returned unexpected format", message = "Internal error" } }`},
		{"a raised error", prepare + `return invoke("listed", function() error({ code = -2, message = "m" }) end)`,
			`{ error = { code = -2, message = "m" } }`},
		{"unknown", prepare + `return invoke("nope")`, `{ error = { code = -32601, message = "Tool not found: nope" } }`},
		{"no name", prepare + `return tools.handle_invoke(nil, {})`,
			`{ error = { code = -32602, data = "params.name must be a string, the name of the tool", message = "Invalid params" } }`},
		{"later", prepare + `tool(function() end)
			local answer = invoke("t")
			return { answer._deferred, registry.get_result(answer.task_id) }`, `{ true, { done = false } }`},
	})
}
