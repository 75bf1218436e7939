// Copyright (c) 2026 the claudecoded authors. MIT license.

package lsp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// checking are two servers that report when they are told to.
const checking = `
	S.start({ name = "one" })
	S.start({ name = "two", encoding = "utf-32" })
	local function item(line, first, last, message, severity)
		return { range = S.range(line, first, last), message = message, severity = severity, source = "src", code = "E1" }
	end
	function report(server, name, version, items)
		server.dispatchers.notification("textDocument/publishDiagnostics", {
			uri = S.uri(name), version = version, diagnostics = vim.iter(items):map(function(args) return item(unpack(args)) end):totable(),
		})
	end
	function version(server)
		local opened, changed = server.told["textDocument/didOpen"], server.told["textDocument/didChange"]
		local last = changed and changed[#changed] or opened and opened[#opened]
		return last and last.textDocument.version
	end
`

// reported has both servers report on f.fake, once they were told of its text.
func (e *asked) reported(line string) {
	e.t.Helper()
	nvimtest.Eventually(e.t, "the servers know the text", func() bool {
		var known bool
		e.Lua(&known, `return version(S.one) ~= nil and version(S.two) ~= nil`)
		return known
	})
	e.Lua(nil, line)
}

const both = `
	report(S.one, "f.fake", version(S.one), { { 0, 3, 4, "first", 1 }, { 1, 0, 1, "second", 2 } })
	report(S.two, "f.fake", version(S.two), { { 0, 2, 3, "first", 1 }, { 0, 0, 1, "hint", 4 } })
`

func diagnostic(line, col, endCol int, severity, message string) map[string]any {
	return map[string]any{
		"path": "f.fake", "lnum": float64(line), "col": float64(col), "end_lnum": float64(line), "end_col": float64(endCol),
		"severity": severity, "message": message, "source": "src", "code": "E1",
	}
}

func (e *asked) diagnosed(arguments map[string]any, want ...any) {
	e.t.Helper()
	got := e.ask("diagnostics_list", arguments)
	if want == nil {
		want = []any{}
	}
	if diff := cmp.Diff(answered{result: want}, got, cmp.AllowUnexported(answered{})); diff != "" {
		e.t.Errorf("%v: %s", arguments, diff)
	}
}

func TestDiagnostics_OfServersAreMergedInBytes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "é😀x\ny\n", checking)
		e.reported(both)
		// In é😀x, x is at 3 in UTF-16 and at 2 in code points.
		first, second, hint := diagnostic(1, 7, 8, "ERROR", "first"), diagnostic(2, 1, 2, "WARN", "second"), diagnostic(1, 1, 3, "HINT", "hint")
		e.diagnosed(nil, hint, first, second)
		e.diagnosed(args{"path": "f.fake"}, hint, first, second)
		e.diagnosed(args{"severity": "ERROR"}, first)
		e.diagnosed(args{"severity": "error, hint"}, hint, first)
		e.diagnosed(args{"severity": "info"})
		e.refused("diagnostics_list", args{"severity": "fatal"}, `There is no severity "fatal": it is error, warn, info or hint, or several of them`)
		e.refused("diagnostics_list", args{"scope": "world"}, `There is no scope "world": it is buffer, all or workspace`)
		e.refused("diagnostics_list", args{"wait_ms": -1}, "wait_ms must be an integer from 0, not -1")
		got := e.ask("diagnostics_list", args{"limit": 1})
		if diff := cmp.Diff([]string{"2 more not shown; limit may be up to 500"}, got.notes); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDiagnostics_OfAllFilesAndOfTheWorkspace(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "é😀x\ny\n", checking)
		e.Write("g.fake", "xx\n")
		e.Write("h.fake", "é😀x\n")
		e.reported(both + `
			report(S.one, "g.fake", nil, { { 0, 0, 1, "unopened", 1 } })
			S.start({ name = "pull", can = { diagnosticProvider = { interFileDependencies = true, workspaceDiagnostics = true } }, answers = {
				["textDocument/diagnostic"] = { kind = "full", items = {} },
				["workspace/diagnostic"] = { items = {
					{ kind = "full", uri = S.uri("h.fake"), items = { { range = S.range(0, 3, 4), message = "pulled", severity = 1, code = 17 } } },
					{ kind = "unchanged", uri = S.uri("i.fake"), resultId = "1" },
					{ kind = "full", uri = S.uri(".env"), items = { { range = S.range(0, 0, 6), message = "SECRET", severity = 1 } } },
				} },
			} })
		`)
		nvimtest.Eventually(t, "the files are known", func() bool {
			var n int
			e.Lua(&n, `return #vim.diagnostic.get()`)
			return n == 5
		})
		error := args{"scope": "all", "severity": "error"}
		first := diagnostic(1, 7, 8, "ERROR", "first")
		e.diagnosed(error, first)
		unopened := diagnostic(1, 1, 2, "ERROR", "unopened")
		unopened["path"] = "g.fake"
		pulled := diagnostic(1, 7, 8, "ERROR", "pulled")
		pulled["path"], pulled["code"] = "h.fake", "17"
		delete(pulled, "source")
		error["scope"] = "workspace"
		e.diagnosed(error, first, unopened, pulled)
		// What is missing is said.
		e.Lua(nil, `S.pull.answers["workspace/diagnostic"] = function() return nil, { code = -32603, message = "busy" } end`)
		if got := e.ask("diagnostics_list", error); got.err != "pull: busy" {
			t.Errorf("%+v", got)
		}
	})
}

func TestDiagnostics_WaitForTheServerAsLongAsAsked(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "é😀x\ny\n", checking)
		e.reported(both)
		e.diagnosed(args{"wait_ms": patient, "severity": "warn"}, diagnostic(2, 1, 2, "WARN", "second"))
		write := func(lines string) {
			e.Lua(nil, `
				old = version(S.one)
				vim.api.nvim_buf_set_lines(0, 0, -1, true, `+lines+`)
			`)
			nvimtest.Eventually(t, "the servers know the new text", func() bool {
				var known bool
				e.Lua(&known, `return version(S.one) > old and version(S.two) > old`)
				return known
			})
		}
		write(`{ "", "y" }`)
		// What is old is said to be so.
		got := e.ask("diagnostics_list", nil)
		if len(got.notes) != 1 || got.notes[0] != "one has not reported on the current text yet: these may be of an older text; ask with wait_ms" {
			t.Errorf("%+v", got)
		}
		e.refused("diagnostics_list", args{"wait_ms": 100}, "Diagnostics not ready: one has not reported on the current text yet")
		// Reports on the old text are no answer.
		e.begin("diagnostics_list", args{"wait_ms": patient}, patient)
		e.Lua(nil, `report(S.one, "f.fake", old, { { 0, 0, 0, "stale", 1 } })`)
		e.Lua(nil, `report(S.one, "f.fake", version(S.one), { { 1, 0, 1, "new", 1 } })`)
		var early string
		e.Lua(&early, `return answer or ""`)
		if early != "" {
			t.Errorf("answered before two has reported: %s", early)
		}
		e.Lua(nil, `report(S.two, "f.fake", version(S.two), {})`)
		if diff := cmp.Diff(any([]any{diagnostic(2, 1, 2, "ERROR", "new")}), e.answer().result); diff != "" {
			t.Error(diff)
		}
		// One that leaves is named, one that is cancelled leaves nothing behind.
		write(`{ "z" }`)
		e.begin("diagnostics_list", args{"wait_ms": patient}, patient)
		e.Lua(nil, `S.two.die()`)
		if got := e.answer(); !strings.HasPrefix(got.err, "Diagnostics not ready: two left before it reported") {
			t.Errorf("%+v", got)
		}
	})
}

func TestDiagnostics_OfAFileThatWasWrittenAreThoseOfTheNewText(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "é😀x\ny\n", checking)
		e.reported(both)
		e.Lua(nil, `
			for _, server in ipairs({ S.one, S.two }) do
				function server.heard(_, params)
					local document = params.textDocument
					local text = document and (document.text or params.contentChanges and params.contentChanges[1].text)
					if text then
						S.soon(function()
							report(server, "f.fake", document.version, { { 0, 0, 1, vim.trim(text), 1 } })
						end)
					end
				end
			end
		`)
		e.Write("f.fake", "another\n")
		e.Lua(nil, `vim.uv.fs_utime("f.fake", 1, 1)`)
		got := e.ask("diagnostics_list", args{"wait_ms": patient})
		if diff := cmp.Diff(any([]any{diagnostic(1, 1, 2, "ERROR", "another")}), got.result); diff != "" {
			t.Errorf("%+v: %s", got, diff)
		}
	})
}
