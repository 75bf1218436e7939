// Copyright (c) 2026 the claudecoded authors. MIT license.

package lsp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// pair is a server that answers and one that does not.
const pair = `
	S.start({ name = "good", can = { referencesProvider = true }, answers = { ["textDocument/references"] = { S.at("f.fake", 0, 0) } } })
	S.start({ name = "silent", can = { referencesProvider = true } })
`

// short is what a call gets that is to run out of time, in milliseconds: enough for a server
// that answers on a machine that is busy.
const short = 2000

const oneReference = `[{"path": "f.fake", "line": 1, "col": 1, "text": "one"}]`

// cancelled waits until a server was told that its request is cancelled.
func (e *asked) cancelled(server, method string) {
	e.t.Helper()
	nvimtest.Eventually(e.t, server+" is told of the cancellation", func() bool {
		var got []string
		e.Lua(&got, `return S[...].cancelled`, server)
		return cmp.Equal(got, []string{method})
	})
}

func TestServers_ThatNeverAnswerAreNamedAndCancelled(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", pair)
		e.begin("lsp_references", nil, short)
		got := e.answer()
		var want any
		decode(t, oneReference, &want)
		if diff := cmp.Diff(want, got.result); diff != "" || len(got.notes) != 1 || !strings.HasPrefix(got.notes[0], "silent did not answer textDocument/references within ") {
			t.Errorf("%+v", got)
		}
		e.cancelled("silent", "textDocument/references")
		e.Lua(nil, `S.good.answers = {} S.good.cancelled, S.silent.cancelled = {}, {}`)
		e.begin("lsp_references", nil, short)
		got = e.answer()
		if lines := strings.Split(got.err, "\n"); len(lines) != 2 ||
			!strings.HasPrefix(lines[0], "good did not answer") || !strings.HasPrefix(lines[1], "silent did not answer") {
			t.Errorf("%+v", got)
		}
		e.cancelled("good", "textDocument/references")
		e.cancelled("silent", "textDocument/references")
	})
}

func TestServers_HearThatACallIsCancelled(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", pair+`S.start({ name = "editing", can = { renameProvider = true } })`)
		for tool, c := range map[string]struct{ server, method string }{
			"lsp_references": {"silent", "textDocument/references"},
			"lsp_rename":     {"editing", "textDocument/rename"},
		} {
			e.begin(tool, args{"new_name": "x"}, patient)
			nvimtest.Eventually(t, "the server is asked", func() bool {
				var asked bool
				e.Lua(&asked, `return vim.iter(S[...].asked):any(function(r) return r.method ~= "initialize" end)`, c.server)
				return asked
			})
			e.Lua(nil, `require("mcp-tools.registry").cancel_task(task)`)
			e.cancelled(c.server, c.method)
		}
		// Nothing follows the servers any more.
		var left int
		e.Lua(&left, `
			return #vim.iter(vim.api.nvim_get_autocmds({ event = { "LspAttach", "LspDetach" } })):filter(function(autocmd)
				return not autocmd.group
			end):totable()
		`)
		if left != 0 {
			t.Errorf("%d autocommands are left", left)
		}
	})
}

func TestServers_ThatDieAreNamed(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", pair)
		e.begin("lsp_references", nil, patient)
		nvimtest.Eventually(t, "the server is asked", func() bool {
			var asked int
			e.Lua(&asked, `return #S.silent.asked`)
			return asked == 2
		})
		e.Lua(nil, `S.silent.die()`)
		got := e.answer()
		if diff := cmp.Diff([]string{"silent left before it answered textDocument/references"}, got.notes); diff != "" {
			t.Errorf("%+v: %s", got, diff)
		}
		// The one that is left answers on.
		e.expect("lsp_references", nil, oneReference)
		e.Lua(nil, `S.good.die()`)
		nvimtest.Eventually(t, "Neovim knows", func() bool {
			var n int
			e.Lua(&n, `return #vim.lsp.get_clients()`)
			return n == 0
		})
		e.refused("lsp_references", nil, "No language server serves f.fake")
	})
}

func TestServers_ThatCannotAreNamedWithWhatTheyLack(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", pair)
		e.refused("lsp_hover", nil, "good, silent do not support textDocument/hover (hoverProvider)")
		e.refused("lsp_rename", args{"new_name": "x"}, "good, silent do not support textDocument/rename (renameProvider)")
		e.Write("plain.txt", "x\n")
		e.refused("lsp_hover", args{"path": "plain.txt", "line": 1}, "No language server serves plain.txt")
		e.Command("bwipeout f.fake")
		e.refused("lsp_workspace_symbols", args{"query": "x"}, "good, silent do not support workspace/symbol (workspaceSymbolProvider)")
	})
}

func TestServers_ThatFailAreQuoted(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", pair+`
			local tries = 0
			S.silent.answers["textDocument/references"] = function()
				tries = tries + 1
				-- The content was modified: it is asked again.
				return nil, tries == 1 and { code = -32801, message = "modified" } or { code = -32603, message = "no package" }
			end
		`)
		e.expectAll("lsp_references", nil, oneReference, "silent: no package")
		e.Lua(nil, `S.good.answers["textDocument/references"] = vim.NIL`)
		e.refused("lsp_references", nil, "silent: no package")
	})
}

func TestServers_ThatAnswerNonsenseEndTheCall(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", pair+`S.silent.answers["textDocument/references"] = { { uri = 1 } }`)
		if got := e.ask("lsp_references", nil); !strings.HasPrefix(got.err, "Tool execution error: ") {
			t.Errorf("%+v", got)
		}
	})
}

func TestServers_ThatStartAreWaitedFor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", `
			S.start({ name = "late", can = { referencesProvider = true }, answers = { ["textDocument/references"] = { S.at("f.fake", 0, 0) } } })
		`)
		// The file is opened and asked about in one turn of the editor.
		e.Write("g.fake", "one\n")
		e.Lua(nil, `S.late.die()`)
		nvimtest.Eventually(t, "it stopped", func() bool {
			var n int
			e.Lua(&n, `return #vim.lsp.get_clients()`)
			return n == 0
		})
		e.expect("lsp_references", args{"path": "g.fake", "line": 1}, oneReference)
		e.Lua(nil, `S.start({ name = "never", starting = true })`)
		e.begin("lsp_references", args{"path": "f.fake", "line": 1}, 2*short)
		if got := e.answer(); got.err != "never is still starting" {
			t.Errorf("%+v", got)
		}
		// The others are asked meanwhile.
		e.Lua(nil, `vim.lsp.buf_attach_client(vim.fn.bufnr("f.fake"), vim.lsp.get_clients({ name = "late" })[1].id)`)
		e.begin("lsp_references", args{"path": "f.fake", "line": 1}, 2*short)
		if diff := cmp.Diff([]string{"never is still starting"}, e.answer().notes); diff != "" {
			t.Error(diff)
		}
	})
}
