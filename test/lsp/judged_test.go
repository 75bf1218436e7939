// Copyright (c) 2026 the claudecoded authors. MIT license.

package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// keeping are rules by which .env files, and what is in the vault, are not to be changed.
const keeping = `permissions = {
	["lsp_*"] = "allow", { tool = "*", path = { "**/.env*", "**/vault/**" }, action = "deny" },
	{ tool = "nvim_lsp_*", path = "**/.env.example", action = "allow" },
}`

// guarded is an editor with such rules, and files of both kinds.
func guarded(t *testing.T, nvim string, o stage.Options, edits string) *asked {
	t.Helper()
	o.Nvim = nvim
	e := &asked{stage.Open(t, o), t}
	e.prepare("one\n", strings.Replace(editing, `"direct"`, edits+", "+keeping, 1))
	for _, name := range []string{".env", ".env.example", "vault/key", "folder/fine", "folder/deep/.env"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(e.Project, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		e.Write(name, "one\n")
	}
	if err := os.Symlink(".env", filepath.Join(e.Project, "link")); err != nil {
		t.Fatal(err)
	}
	return e
}

// What a server's edit is about is not known before it has answered, and is denied all the same.
func TestRename_IsDeniedForEachFileThatIs(t *testing.T) {
	t.Parallel()
	const fine = `edit("f.fake", { replace(0, 0, 3, "1") }), `
	rows := map[string]struct{ edit, told string }{
		"by its URI":        {`{ changes = { [S.uri("f.fake")] = { replace(0, 0, 3, "1") }, [S.uri(".env")] = { replace(0, 0, 3, "1") } } }`, ".env"},
		"behind others":     {`{ documentChanges = { ` + fine + `edit(".env", { replace(0, 0, 3, "1") }) } }`, ".env"},
		"by a link":         {`{ documentChanges = { ` + fine + `edit("link", { replace(0, 0, 3, "1") }) } }`, "link"},
		"in capitals":       {`{ documentChanges = { ` + fine + `{ kind = "create", uri = S.uri(".ENV.local") } } }`, ".ENV.local"},
		"to be there":       {`{ documentChanges = { ` + fine + `{ kind = "create", uri = S.uri("vault/new") } } }`, "vault/new"},
		"to be deleted":     {`{ documentChanges = { ` + fine + `{ kind = "delete", uri = S.uri("vault/key") } } }`, "vault/key"},
		"to be renamed":     {`{ documentChanges = { ` + fine + `{ kind = "rename", oldUri = S.uri(".env"), newUri = S.uri("env") } } }`, ".env"},
		"to be the target":  {`{ documentChanges = { { kind = "rename", oldUri = S.uri("f.fake"), newUri = S.uri("vault/f") } } }`, "vault/f"},
		"the folder itself": {`{ documentChanges = { { kind = "rename", oldUri = S.uri("vault"), newUri = S.uri("open") } } }`, "vault"},
		"in a folder":       {`{ documentChanges = { { kind = "rename", oldUri = S.uri("folder"), newUri = S.uri("other") } } }`, "folder/deep/.env"},
		"by another URI":    {`{ documentChanges = { { uri = S.uri("f.fake"), textDocument = { uri = S.uri(".env") }, edits = { replace(0, 0, 3, "1") } } } }`, ".env"},
		"without a change":  {`{ documentChanges = { ` + fine + `edit(".env", {}) } }`, ".env"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := guarded(t, nvim, stage.Options{}, `"direct"`)
		for name, row := range rows {
			got := e.rename(row.edit)
			for _, want := range []string{"nvim_lsp_rename was denied", ": " + row.told + ` by the rule "*" for **/.env*, **/vault/**`, "Nothing of it was made"} {
				if !strings.Contains(got.err, want) {
					t.Errorf("%s: %q, %v has no %q", name, got.err, got.result, want)
				}
			}
		}
		for _, name := range []string{"f.fake", ".env", "vault/key", "folder/deep/.env"} {
			if e.file(name) != "one\n" {
				t.Errorf("%s was changed: %q", name, e.file(name))
			}
		}
		// A rule that means more of the tool goes before it, and other files are open.
		e.accepts(`{ documentChanges = { `+fine+`edit(".env.example", { replace(0, 0, 3, "2") }) } }`, []any{"f.fake", ".env.example"},
			map[string]string{"f.fake": "1\n", ".env.example": "2\n"})
	})
}

// A folder that is renamed twice takes its files to where none of the names leads that are there.
func TestRename_IsDeniedForWhereAFileGoesInTheEnd(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ renamings, told string }{
		"once":       {`{ "folder", "kept" }`, "kept/fine"},
		"twice":      {`{ "folder", "other" }, { "other", "kept" }`, "kept/fine"},
		"a part":     {`{ "folder", "other" }, { "other/deep", "kept" }`, "kept/low"},
		"with slash": {`{ "folder/", "other/" }, { "other/", "kept/" }`, "kept/fine"},
		"with dots":  {`{ "folder/deep/..", "other" }, { "other/x/../deep", "./kept" }`, "kept/low"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := guarded(t, nvim, stage.Options{}, `"direct"`)
		e.Write("folder/deep/low", "one\n")
		e.Lua(nil, `require("mcp-tools.config").setup({ edits = "direct", permissions = {
			{ tool = "*", path = { "**/kept/fine", "**/kept/low" }, action = "deny" } } })`)
		for name, row := range rows {
			got := e.rename(`{ documentChanges = vim.tbl_map(function(pair)
				local project = vim.uri_from_fname(vim.fn.getcwd()) .. "/"
				return { kind = "rename", oldUri = project .. pair[1], newUri = project .. pair[2] }
			end, { ` + row.renamings + ` }) }`)
			if want := row.told + ` by the rule "*"`; !strings.Contains(got.err, want) {
				t.Errorf("%s: %q, %v has no %q", name, got.err, got.result, want)
			}
		}
		if e.file("folder/fine") != "one\n" || e.file("folder/deep/low") != "one\n" {
			t.Error("the folder was renamed")
		}
	})
}

// TestRename_ThatIsDeniedShowsNothing: the user is not asked about a part of it.
func TestRename_ThatIsDeniedShowsNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := guarded(t, nvim, stage.Options{UI: true}, `"review"`)
		e.Lua(nil, `proposed = 0
			require("mcp-tools.review").propose = function() proposed = proposed + 1 end`)
		got := e.rename(`{ documentChanges = { edit("f.fake", { replace(0, 0, 3, "1") }), edit(".env", { replace(0, 0, 3, "1") }) } }`)
		var proposed int
		e.Lua(&proposed, `return proposed`)
		if !strings.Contains(got.err, "was denied") || proposed != 0 {
			t.Errorf("%+v, proposed %d times", got, proposed)
		}
	})
}

// A folder with more files than can be looked at is not renamed on the chance that all are open.
func TestRename_OfAFolderWithTooManyFilesIsDenied(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := guarded(t, nvim, stage.Options{}, `"direct"`)
		e.Lua(nil, `require("mcp-tools.tools.lsp.judged").max_files = 1`)
		got := e.rename(`{ documentChanges = { { kind = "rename", oldUri = S.uri("folder"), newUri = S.uri("other") } } }`)
		if want := "more than 1 are in folder"; !strings.Contains(got.err, want) {
			t.Errorf("%q, %v has no %q", got.err, got.result, want)
		}
	})
}

// TestCodeActions_AreDeniedForEachFileThatIs: for their edits, and for those that their command asks
// for, after which what was made before is told.
func TestCodeActions_AreDeniedForEachFileThatIs(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := guarded(t, nvim, stage.Options{}, `"direct"`)
		e.Lua(nil, `
			local env = { changes = { [S.uri(".env")] = { replace(0, 0, 3, "1") } } }
			local fine = { changes = { [S.uri("f.fake")] = { replace(0, 0, 3, "1") } } }
			S.start({ name = "actor", can = { codeActionProvider = true, executeCommandProvider = { commands = { "change" } } }, answers = {
				["textDocument/codeAction"] = {
					{ title = "edit", edit = env, command = { title = "", command = "change" } },
					{ title = "command", edit = fine, command = { title = "", command = "change" } },
				},
				["workspace/executeCommand"] = function()
					ran = (ran or 0) + 1
					S.actor.dispatchers.server_request("workspace/applyEdit", { edit = env })
					return vim.NIL
				end,
			} })`)
		got := e.ask("lsp_apply_code_action", args{"line": 1, "title": "edit"})
		var ran int
		e.Lua(&ran, `return ran or 0`)
		if !strings.Contains(got.err, "nvim_lsp_apply_code_action was denied") || ran != 0 {
			t.Errorf("%+v, the command ran %d times", got, ran)
		}
		e.expectAll("lsp_apply_code_action", args{"line": 1, "title": "command"}, `{"accepted":["f.fake"],"rejected":[]}`,
			"nvim_lsp_apply_code_action was denied, because the edit is about files that are: .env by the rule \"*\" for **/.env*, **/vault/**. "+
				"Nothing of it was made. Only the user can change that rule, in the option permissions of mcp-tools")
		if e.file(".env") != "one\n" || e.file("f.fake") != "1\n" {
			t.Errorf("%q, %q", e.file(".env"), e.file("f.fake"))
		}
	})
}

// TestTools_ShowNoLineOfAFileThatARuleCloses: nobody judged it, as the call does not name it.
func TestTools_ShowNoLineOfAFileThatARuleCloses(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "one\n", place)
		for _, name := range []string{"denied.txt", "asked.txt", "shown.txt"} {
			e.Write(name, "text\n")
		}
		e.Lua(nil, `
			require("mcp-tools.config").setup({ permissions = {
				["nvim_lsp_*"] = "ask", { tool = "*", path = "**/denied.txt", action = "deny" }, { tool = "*", path = "**/asked.txt", action = "ask" },
			} })
			S.places.answers["textDocument/references"] = { S.at("denied.txt", 0, 0), S.at("asked.txt", 0, 0), S.at("shown.txt", 0, 0) }`)
		e.expect("lsp_references", nil, `[{"path": "denied.txt", "line": 1, "col": 1}, {"path": "asked.txt", "line": 1, "col": 1},
			{"path": "shown.txt", "line": 1, "col": 1, "text": "text"}]`)
	})
}
