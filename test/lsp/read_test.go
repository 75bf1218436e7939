// Copyright (c) 2026 the claudecoded authors. MIT license.

package lsp

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// widths are where "target" begins in `é😀 target`, as each encoding counts.
var widths = map[string]int{"utf-8": 7, "utf-16": 4, "utf-32": 3}

func TestTools_CountColumnsAsEachServerDoes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "é😀 target\nx\n", "")
		e.Write("g.fake", "a\n\té😀 target here\r\n")
		for encoding, column := range widths {
			e.Lua(nil, `
				local encoding, column = ...
				S.start({ name = encoding, encoding = encoding, can = { definitionProvider = true }, answers = {
					["textDocument/definition"] = function(params)
						assert(params.position.character == column, vim.inspect(params.position))
						return { S.at("f.fake", 0, column), S.at("g.fake", 1, column + 1) }
					end,
				} })
			`, encoding, column)
		}
		for _, arguments := range []args{
			{"line": 1, "col": 8}, {"line": 1, "symbol": "target"}, {"line": 1, "symbol": "😀 target"},
			{"path": "f.fake", "line": 1, "symbol": "target"}, {"uri": "file://" + e.Project + "/f.fake", "line": 1, "col": 8},
		} {
			e.expect("lsp_definition", arguments, `[
				{"path": "f.fake", "line": 1, "col": 8, "text": "é😀 target"},
				{"path": "g.fake", "line": 2, "col": 9, "text": "é😀 target here"}
			]`)
		}
	})
}

// place is what every kind of place request answers.
const place = `
	local methods = { "definition", "declaration", "typeDefinition", "references", "implementation" }
	local can, answers = {}, {}
	for _, method in ipairs(methods) do
		can[method .. "Provider"] = true
	end
	answers["textDocument/definition"] = S.at("f.fake", 0, 0)
	answers["textDocument/declaration"] = { { targetUri = S.uri("f.fake"), targetRange = S.range(0, 0, 9), targetSelectionRange = S.range(1, 2, 5) } }
	answers["textDocument/typeDefinition"] = vim.NIL
	answers["textDocument/references"] = function(params)
		return params.context.includeDeclaration and { S.at("f.fake", 0, 0), S.at("f.fake", 0, 0), S.at("f.fake", 1, 2) } or { S.at("f.fake", 1, 2) }
	end
	answers["textDocument/implementation"] = {}
	S.start({ name = "places", can = can, answers = answers })
`

func TestTools_ListPlacesOfEachKind(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n  two\n", place)
		const one, two = `{"path": "f.fake", "line": 1, "col": 1, "text": "one"}`, `{"path": "f.fake", "line": 2, "col": 3, "text": "two"}`
		e.expect("lsp_definition", nil, "["+one+"]")
		e.expect("lsp_declaration", nil, "["+two+"]")
		e.expect("lsp_type_definition", nil, "[]")
		e.expect("lsp_references", nil, "["+one+","+two+"]")
		e.expect("lsp_references", args{"include_declaration": false}, "["+two+"]")
		e.expect("lsp_implementation", nil, "[]")
		e.expectAll("lsp_references", args{"limit": 1}, "["+one+"]", "1 more not shown; limit may be up to 500")
	})
}

// TestTools_ShowNoLineThatStaysInTheEditor, of files that nobody opened either.
func TestTools_ShowNoLineThatStaysInTheEditor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", place)
		e.Write(".env", "SECRET=1\n")
		e.Write("g.fake", "shown\n")
		e.Lua(nil, `S.places.answers["textDocument/implementation"] = { S.at(".env", 0, 0), S.at("g.fake", 0, 0) }`)
		const secret, other = `{"path": ".env", "line": 1, "col": 1}`, `{"path": "g.fake", "line": 1, "col": 1, "text": "shown"}`
		var before, after []string
		const names = `return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())`
		e.Lua(&before, names)
		e.expect("lsp_implementation", nil, "["+secret+","+other+"]")
		if e.Lua(&after, names); !slices.Equal(before, after) {
			t.Errorf("the buffers are %q, not %q", after, before)
		}
		e.Command("badd .env | call bufload('.env')")
		e.expect("lsp_implementation", nil, "["+secret+","+other+"]")
	})
}

func TestTools_RefuseArgumentsThatMeanNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", place)
		e.Write("g.fake", "one\ntwo\n")
		const tool = "lsp_definition"
		e.refused(tool, args{"bufnr": 99}, "There is no buffer 99")
		e.refused(tool, args{"path": "none.fake"}, "No such file: none.fake")
		e.refused(tool, args{"path": "."}, "Cannot read .")
		e.refused(tool, args{"path": "nul\x00"}, "No such file: nul\x00")
		e.refused(tool, args{"line": 2}, "There is no line 2: f.fake has 1")
		e.refused(tool, args{"line": 1.5}, "line must be an integer from 1, not 1.5")
		e.refused(tool, args{"line": 1, "symbol": "two"}, `"two" is not on line 1 of f.fake, which is "one"`)
		e.refused(tool, args{"path": "g.fake"}, "line is missing: no window shows g.fake")
		e.Write(".env", "SECRET=1\n")
		e.refused(tool, args{"path": ".env", "line": 1}, "The text of .env is withheld (selection_filter)")
	})
}

const hovering = `
	local function start(name, contents)
		S.start({ name = name, can = { hoverProvider = true, signatureHelpProvider = {} }, answers = {
			["textDocument/hover"] = contents and { contents = contents } or vim.NIL,
			["textDocument/signatureHelp"] = function(params)
				return { signatures = { { label = "é(a, b)", documentation = "at " .. params.position.character,
					parameters = { { label = { 2, 3 } }, { label = "b" } } } }, activeParameter = 0 }
			end,
		} })
	end
	start("one", { kind = "plaintext", value = "same" })
	start("two", { { language = "go", value = "func f()" }, "Words." })
	start("three", "same")
	start("four")
`

func TestTools_MergeWhatServersSayOfAPlace(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "x = call (a)\n", hovering)
		e.expect("lsp_hover", nil, `{"hover": "same\n\n---\n\n`+"```go\\nfunc f()\\n```"+`\n\nWords.", "kind": "markdown"}`)
		// Behind the bracket of the call.
		e.expect("lsp_signature", args{"symbol": "call"}, `[{"label": "é(a, b)", "documentation": "at 10", "active": true, "parameter": "a"}]`)
		// On the bracket, if nothing is known behind it.
		e.Lua(nil, `
			for _, name in ipairs({ "one", "two", "three", "four" }) do
				S[name].answers["textDocument/signatureHelp"] = function(params)
					return params.position.character == 9 and { signatures = { { label = "f()" } } } or vim.NIL
				end
			end
		`)
		e.expect("lsp_signature", args{"symbol": "call"}, `[{"label": "f()", "active": true}]`)
		e.Lua(nil, `
			for _, name in ipairs({ "one", "two", "three" }) do
				S[name].answers["textDocument/hover"] = vim.NIL
			end
		`)
		e.refused("lsp_hover", nil, "No hover information available")
	})
}

const symbols = `
	local function symbol(name, line, children, last)
		return { name = name, kind = 12, detail = "", range = S.range(line, 0, 9, last), selectionRange = S.range(line, 1, 4), children = children }
	end
	local function start(name, list)
		S.start({ name = name, can = { documentSymbolProvider = true, workspaceSymbolProvider = true }, answers = {
			["textDocument/documentSymbol"] = list,
			["workspace/symbol"] = function(params)
				return {
					{ name = params.query, kind = 5, containerName = "pkg", location = S.at("f.fake", 1, 2) },
					{ name = "file only", kind = 99, location = { uri = S.uri("g.fake") } },
				}
			end,
		} })
	end
	start("tree", { symbol("outer", 0, { symbol("inner", 1) }, 2), symbol("next", 2) })
	start("flat", {
		{ name = "outer", kind = 12, location = S.at("f.fake", 0, 1, 4) },
		{ name = "other", kind = 13, containerName = "outer", location = S.at("f.fake", 2, 0, 1) },
	})
`

func TestTools_KeepSymbolsWithinTheirParents(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "outer\n inner\nnext\n", symbols)
		e.expect("lsp_symbols", nil, `[
			{"name": "outer", "kind": "Function", "line": 1, "col": 2, "end_line": 3, "children": [
				{"name": "inner", "kind": "Function", "line": 2, "col": 2}
			]},
			{"name": "next", "kind": "Function", "line": 3, "col": 2},
			{"name": "other", "kind": "Variable", "container": "outer", "line": 3, "col": 1}
		]`)
		e.expectAll("lsp_symbols", args{"limit": 2}, `[
			{"name": "outer", "kind": "Function", "line": 1, "col": 2, "end_line": 3, "children": [
				{"name": "inner", "kind": "Function", "line": 2, "col": 2}
			]}
		]`, "2 more not shown; limit may be up to 500")
		e.expect("lsp_workspace_symbols", args{"query": "que"}, `[
			{"name": "que", "kind": "Class", "container": "pkg", "path": "f.fake", "line": 2, "col": 3, "text": "inner"},
			{"name": "file only", "kind": 99, "path": "g.fake"}
		]`)
	})
}

const calling = `
	local function item(name, line)
		return { name = name, kind = 12, detail = "d", uri = S.uri("f.fake"), range = S.range(line, 0, 9), selectionRange = S.range(line, 2, 5), data = name }
	end
	S.start({ name = "calls", can = { callHierarchyProvider = true }, answers = {
		["textDocument/prepareCallHierarchy"] = { item("one", 0) },
		["callHierarchy/incomingCalls"] = function(params)
			assert(params.item.data == "one")
			return { { from = item("two", 1), fromRanges = { S.range(1, 0, 1), S.range(1, 4, 5), S.range(0, 0, 1) } } }
		end,
		["callHierarchy/outgoingCalls"] = { { to = item("two", 1), fromRanges = { S.range(0, 0, 1) } } },
	} })
`

func TestTools_SayWhoCallsAndIsCalled(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "f one\nf two\n", calling)
		const entry = `[{"name": "two", "kind": "Function", "detail": "d", "path": "f.fake", "line": 2, "col": 3, "text": "f two", "calls": %s}]`
		e.expect("lsp_incoming_calls", nil, fmt.Sprintf(entry, "[2, 1]"))
		e.expect("lsp_outgoing_calls", nil, fmt.Sprintf(entry, "[1]"))
		e.Lua(nil, `S.calls.answers["textDocument/prepareCallHierarchy"] = vim.NIL`)
		e.expect("lsp_incoming_calls", nil, "[]")
	})
}

func TestTools_LoadAFileThatIsNotOpenInNoWindow(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		// No server runs yet: the file starts it.
		e := open(t, nvim, "f\n", symbols)
		e.Command("enew | bwipeout f.fake")
		e.Lua(nil, `S.tree.die() S.flat.die()`)
		nvimtest.Eventually(t, "the servers are gone", func() bool {
			var n int
			e.Lua(&n, `return #vim.lsp.get_clients()`)
			return n == 0
		})
		e.Write("other.fake", "outer\n inner\nnext\n")
		e.Write(".other.fake.swp", "not a swap file")
		look := `return vim.inspect({ vim.api.nvim_list_wins(), vim.fn.winlayout(), vim.fn.bufnr(), vim.fn.getbufinfo({ buflisted = 1 })[1].name, vim.fn.mode() })`
		var before, after string
		e.Lua(&before, look)
		got := e.ask("lsp_symbols", args{"path": "other.fake", "limit": 1})
		if got.err != "" {
			t.Error(got.err)
		}
		e.Lua(&after, look)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}
