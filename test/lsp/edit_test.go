// Copyright (c) 2026 the claudecoded authors. MIT license.

package lsp

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// editing is a server whose edit is EDIT; everything is accepted at once.
const editing = `
	require("mcp-tools.config").setup({ edits = "direct" })
	function edit(name, text_edits, version)
		return { textDocument = { uri = S.uri(name), version = version or vim.NIL }, edits = text_edits }
	end
	function replace(line, first, last, text, last_line)
		return { range = S.range(line, first, last, last_line), newText = text }
	end
	S.start({ name = "editor", encoding = ENCODING, can = { renameProvider = true }, answers = {
		["textDocument/rename"] = function(params)
			name = params.newName
			return EDIT()
		end,
	} })
`

// rename renames with an edit in Lua.
func (e *asked) rename(edit string) answered {
	e.t.Helper()
	e.Lua(nil, "EDIT = function() return "+edit+" end")
	return e.ask("lsp_rename", args{"line": 1, "new_name": "new"})
}

func (e *asked) file(name string) string {
	e.t.Helper()
	text, err := os.ReadFile(e.Project + "/" + name)
	if err != nil {
		return "none"
	}
	return string(text)
}

// accepts checks that a rename is accepted for files, and what is on disk after it.
func (e *asked) accepts(edit string, accepted []any, files map[string]string) {
	e.t.Helper()
	got := e.rename(edit)
	want := answered{result: map[string]any{"accepted": accepted, "rejected": []any{}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(answered{})); diff != "" {
		e.t.Errorf("%s: %s", edit, diff)
	}
	for name, text := range files {
		if diff := cmp.Diff(text, e.file(name)); diff != "" {
			e.t.Errorf("%s: %s: %s", edit, name, diff)
		}
	}
}

func TestRename_AppliesEditsInEachEncoding(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for encoding, at := range widths {
			t.Run(encoding, func(t *testing.T) {
				t.Parallel()
				e := open(t, nvim, "é😀 target\nlast", `ENCODING = "`+encoding+`"`+editing)
				e.Write("g.fake", "\xef\xbb\xbfé😀 target é\r\nx\r\n")
				e.Lua(nil, `at = ...`, at)
				// Those at one place stay in their order; the ranges are those of the text before all.
				e.accepts(`{ documentChanges = {
					edit("f.fake", { replace(1, 4, 4, "!\n"), replace(0, at, at + 6, name), replace(0, at, at, "a"), replace(0, at, at, "b\r\n") }),
					edit("g.fake", { replace(0, at, at + 6, "x"), replace(99, 0, 0, "end") }),
				} }`, []any{"f.fake", "g.fake"}, map[string]string{
					"f.fake": "é😀 ab\nnew\nlast!\n",
					"g.fake": "\xef\xbb\xbfé😀 x é\r\nx\r\nend",
				})
			})
		}
	})
}

func TestRename_TakesEveryKindOfEdit(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\ntwo\n", editing)
		e.accepts(`{ changes = { [S.uri("f.fake")] = { replace(0, 0, 3, "1") } } }`, []any{"f.fake"}, map[string]string{"f.fake": "1\ntwo\n"})
		e.accepts(`{ changes = { [S.uri("f.fake")] = { replace(0, 0, 1, "no") } }, documentChanges = { edit("f.fake", { replace(0, 0, 1, "yes") }) } }`,
			[]any{"f.fake"}, map[string]string{"f.fake": "yes\ntwo\n"})
		// One after another on one file.
		e.accepts(`{ documentChanges = { edit("f.fake", { replace(0, 0, 3, "a\nb") }), edit("f.fake", { replace(1, 0, 1, "c") }) } }`,
			[]any{"f.fake"}, map[string]string{"f.fake": "a\nc\ntwo\n"})
		e.accepts(`{ documentChanges = {
			{ kind = "create", uri = S.uri("dir/new.fake") }, edit("dir/new.fake", { replace(0, 0, 0, "new\n") }),
		} }`, []any{"dir/new.fake"}, map[string]string{"dir/new.fake": "new\n"})
		e.accepts(`{ documentChanges = {
			{ kind = "rename", oldUri = S.uri("dir/new.fake"), newUri = S.uri("dir/other.fake") }, edit("dir/other.fake", { replace(0, 0, 3, "old") }),
		} }`, []any{"dir/new.fake"}, map[string]string{"dir/new.fake": "none", "dir/other.fake": "old\n"})
		e.accepts(`{ documentChanges = {
			{ kind = "rename", oldUri = S.uri("dir"), newUri = S.uri("folder") }, edit("folder/other.fake", { replace(0, 0, 3, "moved") }),
		} }`, []any{"dir/other.fake", "dir"}, map[string]string{"dir/other.fake": "none", "folder/other.fake": "moved\n"})
		e.accepts(`{ documentChanges = {
			{ kind = "delete", uri = S.uri("folder/other.fake") }, { kind = "delete", uri = S.uri("none"), options = { ignoreIfNotExists = true } },
			{ kind = "create", uri = S.uri("f.fake"), options = { ignoreIfExists = true } },
		} }`, []any{"folder/other.fake"}, map[string]string{"folder/other.fake": "none", "f.fake": "a\nc\ntwo\n"})
		e.accepts(`{ documentChanges = { edit("f.fake", {
			{ range = S.range(0, 0, 1), snippet = { kind = "snippet", value = "${1:f${2:g}}($3, ${4|x,y|}, \\$5, ${VAR/a}b/c/})$0" } },
		}) } }`, []any{"f.fake"}, map[string]string{"f.fake": "fg(, x, $5, b/c/})\nc\ntwo\n"})
	})
}

func TestRename_EditsLongTextsInParts(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "target\n", `ENCODING = "utf-16"`+editing)
		e.Write("g.fake", strings.Repeat("é😀 line\n", 5000)+"end")
		e.accepts(`{ documentChanges = {
			edit("g.fake", { replace(0, 0, 0, ("x"):rep(20000)), replace(150, 4, 4, "\n", 4849), replace(5000, 3, 9, "!") }),
			edit("g.fake", { replace(0, 19999, 20003, "y"), replace(151, 0, 4, "a"), replace(301, 4, 9, "b") }),
		} }`, []any{"g.fake"}, map[string]string{
			"g.fake": strings.Repeat("x", 19999) + "y line\n" + strings.Repeat("é😀 line\n", 149) + "é😀 \na\n" +
				strings.Repeat("é😀 line\n", 149) + "é😀 b\nend!",
		})
	})
}

func TestRename_RefusesAnEditThatCannotBeMade(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\ntwo\n", editing)
		for edit, want := range map[string]string{
			`vim.NIL`: "There is nothing to rename at this place",
			`{ documentChanges = { edit("f.fake", { replace(0, 0, 3, "one") }) } }`:                      "The rename changes nothing",
			`{ documentChanges = { edit("f.fake", { replace(0, 0, 2, "x"), replace(0, 1, 3, "y") }) } }`: "The edits of editor in f.fake overlap",
			`{ documentChanges = { edit("none", { replace(0, 0, 2, "x") }) } }`:                          "editor wants to change none, which is not there",
			`{ documentChanges = { { kind = "create", uri = S.uri("f.fake") } } }`:                       "editor wants to create f.fake, which is there",
			`{ documentChanges = { { kind = "delete", uri = S.uri("none") } } }`:                         "editor wants to delete none, which is not there",
			`{ changes = { ["jdt://x"] = { replace(0, 0, 2, "x") } } }`:                                  "editor wants to change jdt://x, which is no file",
			`{ documentChanges = { edit("f.fake", { replace(0, 0, 2, "x") }, -1) } }`:                    "f.fake was changed since editor looked at it: ask again",
		} {
			if got := e.rename(edit); got.err != want {
				t.Errorf("%s: %+v, not %q", edit, got, want)
			}
		}
		// What is typed while the server works.
		e.Lua(nil, `S.editor.answers["textDocument/rename"] = function()
			vim.api.nvim_buf_set_lines(0, 0, 0, true, { "typed" })
			return { changes = { [S.uri("f.fake")] = { replace(0, 0, 3, "1") } } }
		end`)
		e.refused("lsp_rename", args{"line": 1, "new_name": "new"}, "f.fake was changed since editor looked at it: ask again")
		e.refused("lsp_rename", args{"line": 1}, "Missing required argument: new_name")
	})
}

const acting = editing + `
	local function action(title, more)
		return vim.tbl_extend("error", { title = title, kind = "quickfix" }, more or {})
	end
	S.start({ name = "actor", can = {
		codeActionProvider = { resolveProvider = true },
		executeCommandProvider = { commands = { "do" } },
	}, answers = {
		["textDocument/codeAction"] = function(params)
			context, span = params.context, params.range
			return {
				action("edit", { isPreferred = true, edit = { changes = { [S.uri("f.fake")] = { replace(0, 0, 3, "1") } } } }),
				action("lazy"),
				action("off", { disabled = { reason = "not here" } }),
				{ title = "do it", command = "do", arguments = { 7 } },
				{ title = "elsewhere", command = { title = "x", command = "editor.only" } },
				action("both", { edit = { changes = { [S.uri("f.fake")] = { replace(0, 0, 0, "b") } } }, command = { title = "do it", command = "do", arguments = { 8 } } }),
			}
		end,
		["codeAction/resolve"] = function(params)
			return vim.tbl_extend("error", params, { edit = { changes = { [S.uri("f.fake")] = { replace(1, 0, 3, "2") } } } })
		end,
		["workspace/executeCommand"] = function(params)
			ran = params
			told = S.actor.dispatchers.server_request("workspace/applyEdit", { edit = { changes = { [S.uri("g.fake")] = { replace(0, 0, 1, tostring(params.arguments[1])) } } } })
			return vim.NIL
		end,
	} })
`

func TestCodeActions_AreListedAndAppliedByTitle(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\ntwo\n", acting)
		e.Write("g.fake", "g\n")
		e.expect("lsp_code_actions", args{"line": 1, "col": 1, "end_line": 2}, `[
			{"title": "edit", "kind": "quickfix", "preferred": true, "server": "actor"},
			{"title": "lazy", "kind": "quickfix", "server": "actor"},
			{"title": "off", "kind": "quickfix", "disabled": "not here", "server": "actor"},
			{"title": "do it", "server": "actor"},
			{"title": "elsewhere", "server": "actor"},
			{"title": "both", "kind": "quickfix", "server": "actor"}
		]`)
		var span string
		e.Lua(&span, `return vim.json.encode({ span.start.line, span.start.character, span["end"].line, span["end"].character })`)
		if span != "[0,0,1,3]" {
			t.Errorf("the range was %s", span)
		}
		apply := func(title, want string) {
			t.Helper()
			e.expect("lsp_apply_code_action", args{"line": 1, "title": title}, want)
		}
		apply("edit", `{"accepted": ["f.fake"], "rejected": []}`)
		apply("lazy", `{"accepted": ["f.fake"], "rejected": []}`)
		apply("do it", `{"accepted": ["g.fake"], "rejected": []}`)
		if f, g := e.file("f.fake"), e.file("g.fake"); f != "1\n2\n" || g != "7\n" {
			t.Errorf("%q, %q", f, g)
		}
		apply("both", `{"accepted": ["f.fake", "g.fake"], "rejected": []}`)
		e.refused("lsp_apply_code_action", args{"line": 1, "title": "off"}, `"off" cannot be applied: not here`)
		e.refused("lsp_apply_code_action", args{"line": 1, "title": "none"},
			`There is no code action "none" at this place; there are "edit", "lazy", "off", "do it", "elsewhere", "both"`)
		e.refused("lsp_apply_code_action", args{"line": 1, "title": "elsewhere"},
			"actor leaves the command editor.only to its editor, where it cannot be reviewed")
		e.refused("lsp_code_actions", args{"line": 2, "end_line": 1}, "The end is before the start")
		// The edits that the server asks for by itself are the editor's again.
		var own bool
		e.Lua(&own, `return rawget(vim.lsp.get_clients({ name = "actor" })[1].handlers, "workspace/applyEdit") == nil`)
		if !own {
			t.Error("the handler of edits stayed")
		}
	})
}

func TestCodeActions_AreToldTheDiagnosticsOfTheirServer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\ntwo\n", acting+`S.start({ name = "other" })`)
		e.ask("lsp_code_actions", args{"line": 1}) // the servers have started
		e.Lua(nil, `
			local function report(server, line, message)
				server.dispatchers.notification("textDocument/publishDiagnostics", {
					uri = S.uri("f.fake"), diagnostics = { { range = S.range(line, 0, 3), message = message, data = { kept = true } } },
				})
			end
			report(S.actor, 0, "mine")
			report(S.other, 0, "not mine")
		`)
		nvimtest.Eventually(t, "the diagnostics are there", func() bool {
			var n int
			e.Lua(&n, `return #vim.diagnostic.get(0)`)
			return n == 2
		})
		for line, want := range map[int]string{1: "mine true", 2: ""} {
			e.ask("lsp_code_actions", args{"line": line})
			var got string
			e.Lua(&got, `return vim.iter(context.diagnostics):map(function(d) return d.message .. " " .. tostring(d.data.kept) end):join(", ")`)
			if got != want {
				t.Errorf("line %d: %q, not %q", line, got, want)
			}
		}
	})
}

func TestRename_IsReviewedByTheUser(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{
		"as they set": `"review"`,
		// A server may change files that the call does not name.
		"with a rule that asks about the files": `"direct", permissions = { { tool = "nvim_*", path = "**/*.fake", action = "ask" } }`,
	} {
		t.Run(name, func(t *testing.T) { renameIsReviewed(t, options) })
	}
}

func renameIsReviewed(t *testing.T, options string) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := &asked{stage.Open(t, stage.Options{Nvim: nvim, UI: true}), t}
		e.prepare("one\n", strings.Replace(editing, `"direct"`, options, 1))
		e.Write("g.fake", "g\n")
		e.Lua(nil, `EDIT = function() return { documentChanges = { edit("f.fake", { replace(0, 0, 3, "1") }), edit("g.fake", { replace(0, 0, 1, "2") }) } } end`)
		e.begin("lsp_rename", args{"line": 1, "new_name": "new"}, patient)
		for _, c := range [][2]string{{"f.fake", "ClaudeCodeDiffAccept"}, {"g.fake", "ClaudeCodeDiffDeny"}} {
			name, command := c[0], c[1]
			nvimtest.Eventually(t, "the edit is shown", func() bool {
				var shown bool
				e.Lua(&shown, `
					local name = ...
					local buf = vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
						return vim.endswith(vim.b[buf].claudecode_diff_tab_name or "", name)
					end)
					local win = buf and vim.fn.win_findbuf(buf)[1]
					return win ~= nil and pcall(vim.api.nvim_set_current_win, win)
				`, name)
				return shown
			})
			e.Command(command)
		}
		got := e.answer()
		want := map[string]any{"accepted": []any{"f.fake"}, "rejected": []any{"g.fake"}}
		if diff := cmp.Diff(want, got.result); diff != "" {
			t.Errorf("%+v: %s", got, diff)
		}
		if f, g := e.file("f.fake"), e.file("g.fake"); f != "1\n" || g != "g\n" {
			t.Errorf("%q, %q", f, g)
		}
	})
}
