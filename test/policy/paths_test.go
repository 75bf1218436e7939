// Copyright (c) 2026 the claudecoded authors. MIT license.

package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// guarded is an editor whose tools must not touch .env files, or what is in the vault.
func guarded(t *testing.T, nvim string, ui bool) *desk {
	t.Helper()
	o := stage.Options{Nvim: nvim, UI: ui}
	return open(t, o, options([]object{
		{"tool": "*", "path": []string{"**/.env*", "~/vault/**"}, "action": "deny"},
	}))
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// TestPaths_AreNotEvaded tries every other way to name a file that is denied.
func TestPaths_AreNotEvaded(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := guarded(t, nvim, false)
		home := nvimtest.Lookup(d.Env, "HOME")
		secret := d.Write(".env", "secret")
		d.Write("fine.txt", "")
		link(t, secret, filepath.Join(d.Project, "innocent"))
		link(t, "innocent", filepath.Join(d.Project, "twice"))
		link(t, ".", filepath.Join(d.Project, "here"))
		link(t, filepath.Join(d.Project, ".env.new"), filepath.Join(d.Project, "dangling"))
		link(t, "loop", filepath.Join(d.Project, "loop"))
		// The vault is elsewhere, in fact.
		vault := filepath.Join(home, "deep", "store")
		if err := os.MkdirAll(filepath.Join(vault, "a"), 0o700); err != nil {
			t.Fatal(err)
		}
		link(t, vault, filepath.Join(home, "vault"))
		link(t, filepath.Join(vault, "a"), filepath.Join(d.Project, "inner"))
		d.Lua(nil, `require("claudecode.daemon").push_catalogue()`) // ~/vault is a link from now on
		d.settled()
		d.Command("edit .env")
		number := eval[int](d, `vim.api.nvim_get_current_buf()`)
		d.Command("edit fine.txt")
		var others []int
		d.Lua(&others, `return vim.tbl_map(function(name)
			local buf = vim.api.nvim_create_buf(true, true)
			vim.api.nvim_buf_set_name(buf, name:format(vim.fn.getcwd()))
			return buf
		end, { "fugitive://%s/.git//0/.env", "oil://%s/.env/", "zip://host%s/.env" })`)

		evasions := map[string]any{
			"absolute":           object{"path": secret},
			"relative":           object{"path": ".env"},
			"dot":                object{"path": "./.env"},
			"dots":               object{"path": "x/../.env"},
			"dots through links": object{"path": "inner/../../../pro ject/.env"},
			"slashes":            object{"path": "//" + secret[1:]},
			"a link":             object{"path": "innocent"},
			"a link to a link":   object{"path": "twice"},
			"a linked folder":    object{"path": "here/here/.env"},
			"a dangling link":    object{"path": "dangling"},
			"capitals":           object{"path": ".ENV"},
			"a URI":              object{"path": "file://" + secret},
			"a URI of a host":    object{"path": "FILE://localhost" + secret},
			"an encoded URI":     object{"path": "file://" + strings.ReplaceAll(strings.ReplaceAll(secret, ".env", "%2eenv"), " ", "%20")},
			"another scheme":     object{"path": "oil://" + secret},
			"the home folder":    object{"path": "~/pro ject/.env"},
			"a variable":         object{"path": "$HOME/pro ject/.env"},
			"a buffer":           object{"bufnr": number},
			"a buffer's text":    object{"bufnr": fmt.Sprint(number)},
			"a file of git":      object{"bufnr": others[0]},
			"a folder of a list": object{"bufnr": others[1]},
			"one of a host":      object{"bufnr": others[2]},
			"the alternate one":  object{"buffer": "#"},
			"several buffers":    object{"bufs": []int{1, number}},
			"another name":       object{"filePath": secret},
			"a name with _":      object{"new_file_path": secret},
			"in a list":          object{"files": []string{"fine.txt", ".env"}},
			"in a list of maps":  object{"edits": []object{{"path": "fine.txt"}, {"path": ".env"}}},
			"a new file":         object{"path": ".env.not-yet"},
			"a new folder":       object{"path": "no/such/folder/.env"},
			"the vault":          object{"path": "~/vault/a/x"},
			"the vault itself":   object{"path": "~/vault"},
			"where it really is": object{"path": filepath.Join(vault, "a", "x")},
			"a way into it":      object{"path": "inner/x"},
			"a NUL":              object{"path": "fine.txt\x00"},
		}
		for name, arguments := range evasions {
			t.Log(name)
			d.call("look", arguments).says("denied")
		}
		if got := d.ran(); got != "[]" {
			t.Errorf("ran %s", got)
		}
		for _, path := range []string{"fine.txt", "environment", "loop", "a/b c/[id].lua", "$HOME.txt", "100%"} {
			d.call("look", object{"path": path}).says("did look")
		}
	})
}

// TestPaths_ACallThatNamesNoneIsAboutTheCurrentBuffer: most tools take it by default.
func TestPaths_ACallThatNamesNoneIsAboutTheCurrentBuffer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := guarded(t, nvim, false)
		d.call("look", nil).says("did look")
		d.Write(".env", "secret")
		d.Command("edit .env")
		d.call("look", nil).says("denied", `the rule "*" for **/.env*, ~/vault/**`)
		d.call("look", object{"bufnr": 0}).says("denied")
		d.call("look", object{"path": "other"}).says("did look")
	})
}

func TestPaths_AToolSaysWhichItTouches(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := guarded(t, nvim, false)
		d.Lua(nil, `
			local function tool(name, more)
				require("mcp-tools").register(vim.tbl_extend("force", {
					name = name, description = name, ide = true, args = {}, execute = function(cb) cb("did " .. name) end,
				}, more))
			end
			tool("all", { paths = function(args) return { "a", args.where } end })
			tool("hole", { paths = function(args) return { args.nothing, args.where } end })
			tool("map", { paths = function(args) return { where = args.where } end })
			tool("number", { paths = function() return { 5 } end })
			local path = { type = "string", format = "path" }
			tool("schemas", { input_schema = {
				type = "object",
				properties = {
					note = { type = "string" },
					either = { anyOf = { { type = "null" }, path } },
					all = { type = "array", items = { allOf = { { properties = { x = path } } } } },
					more = { type = "object", additionalProperties = path },
					referred = { ["$ref"] = "#/$defs/it" },
					both = { oneOf = { { anyOf = { path } } } },
					first = { type = "array", prefixItems = { { type = "integer" }, path } },
				},
				["if"] = { properties = { depending = path } },
				anyOf = { { ["$ref"] = "#" }, { ["$ref"] = "#" } },
				["$defs"] = { it = { type = "object", properties = { inner = path }, oneOf = { { ["$ref"] = "#/$defs/it" }, {} } } },
			} })
			tool("none", { paths = function() return {} end })
			tool("broken", { paths = function() error("it broke", 0) end })
			tool("declared", { args = { target = { type = "string", format = "path" }, note = { type = "string" } } })
			tool("default", { args = { path = { type = "string", default = ".env" } } })
		`)
		d.Write(".env", "secret")
		d.offers("default")
		d.call("hole", object{"where": "b"}).says("did hole")
		d.call("hole", object{"where": ".env"}).says("denied")
		d.call("map", object{"where": ".env"}).says("denied")
		d.call("number", nil).says("denied")
		for _, arguments := range []object{
			{"either": ".env"}, {"all": []object{{"x": ".env"}}}, {"more": object{"y": ".env"}}, {"referred": object{"inner": ".env"}},
			{"both": ".env"}, {"first": []any{1, ".env"}}, {"depending": ".env"},
		} {
			t.Log(arguments)
			d.call("schemas", arguments).says("denied")
		}
		d.call("schemas", object{"note": ".env", "either": "a"}).says("did schemas")
		d.call("all", object{"where": "b"}).says("did all")
		d.call("all", object{"where": ".env"}).says("denied")
		d.call("broken", nil).says("denied", "it broke")
		d.call("declared", object{"target": ".env"}).says("denied")
		d.call("declared", object{"note": ".env", "target": "a"}).says("did declared")
		d.call("default", nil).says("denied")
		d.call("default", object{"path": "a"}).says("did default")
		d.Command("edit .env")
		d.call("none", nil).says("did none")
	})
}

// TestPaths_OfARuleMeanWhatTheyRead is about patterns that mean more than they spell.
func TestPaths_OfARuleMeanWhatTheyRead(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		home := nvimtest.Lookup(env, "HOME")
		for _, folder := range []string{"secrets/in", "with/slash", "real", "keys"} {
			if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range []string{"real/config", "keys/a.pem"} {
			if err := os.WriteFile(filepath.Join(home, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		link(t, filepath.Join(home, "real", "config"), filepath.Join(home, "rc"))
		link(t, filepath.Join(home, "real"), filepath.Join(home, "store"))
		d := open(t, stage.Options{Nvim: nvim, Env: env}, options([]object{
			{"tool": "look", "path": []string{"~/secrets", "~/with/", "~/rc", "~/store/new", "~/keys/*.[kp]em", "~/app/[id]/p", "~/logs/[0-9]", "~/[abcd][abcd]/[abcd]",
				"~/posix/[_[:alpha:][:digit:]]", "~/brace/[]a]", "~/next/[...slug]/page", "~/two/[.][.]/x"}, "action": "deny"},
			{"tool": "run", "action": "deny"}, {"tool": "run", "path": []string{"~/secrets/*", "~/keys/[a].pem", "~/with/"}, "action": "allow"},
		}))
		for path, denied := range map[string]bool{
			"~/secrets": true, "~/secrets/in": true, "~/secrets/in/deep/x": true, "~/SECRETS/x": true, "~/secretsx": false, "~/secret": false,
			"~/with": true, "~/with/slash/x": true,
			"~/rc": true, "~/real/config": true, "~/real/other": false, // where the link leads
			"~/store/new": true, "~/real/new": true, // which is not there yet
			"~/keys/a.pem": true, "~/keys/b.kem": true, "~/keys/a.[kp]em": true, "~/keys/a.em": false,
			// A folder may be called so; else one of the characters is meant, and no other one.
			"~/keys/a.xem": false, "~/app/[id]/p": true, "~/app/i/p": true, "~/app/d/p": true, "~/app/x/p": false, "~/app/id/p": false,
			"~/posix/q": true, "~/posix/qq": false, "~/brace/]": true, "~/brace/a": true, "~/brace/b": false,
			"~/next/[...slug]/page": true, "~/next/s/page": true, "~/next/page": false, "~/two/[.][.]/x": true, "~/x": false,
			"~/logs/[0-9]": true, "~/logs/7": true, "~/ad/c": true, "~/ax/c": false,
		} {
			t.Log(path)
			d.call("look", object{"path": path}).says(map[bool]string{true: "denied", false: "did look"}[denied])
		}
		// None of it opens more than it spells.
		for path, opened := range map[string]bool{
			"secrets/in": true, "secrets/in/deep": false, "keys/[a].pem": true, "keys/a.pem": false, "with/slash/x": true,
		} {
			t.Log(path)
			d.call("run", object{"path": filepath.Join(home, path)}).says(map[bool]string{true: "did run", false: "denied"}[opened])
		}
	})
}

// TestPaths_ThatChangeBeforeItRunsAreNotTouched is about links that are turned while the
// user reads the question.
func TestPaths_ThatChangeBeforeItRunsAreNotTouched(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options([]object{{"tool": "look", "path": "**", "action": "ask"}}))
		fine, secret := d.Write("fine", ""), d.Write("secret", "")
		way := filepath.Join(d.Project, "way")
		link(t, fine, way)
		held := d.call("look", object{"path": "way"})
		if text := d.asked(); !strings.Contains(text, "file: "+fine) {
			t.Errorf("%q is not in\n%s", fine, text)
		}
		if err := os.Remove(way); err != nil {
			t.Fatal(err)
		}
		link(t, secret, way)
		d.types("1")
		held.says("other files than when its permission was decided")
		if got := d.ran(); got != "[]" {
			t.Errorf("ran %s", got)
		}
	})
}

// TestPaths_OfTheIDEToolsAreThoseTheyTouch: Claude closes its diffs whatever is open.
func TestPaths_OfTheIDEToolsAreThoseTheyTouch(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := guarded(t, nvim, false)
		d.Write(".env", "secret")
		fine := d.Write("fine.txt", "text")
		d.Command("edit fine.txt")
		d.Command("edit .env")
		d.call("close_tab", object{"tab_name": "x"}).says("TAB_CLOSED")
		d.call("closeAllDiffTabs", nil).says("CLOSED_0")
		d.call("getWorkspaceFolders", nil).says("success")
		d.call("getOpenEditors", nil).says("fine.txt")
		d.call("getCurrentSelection", nil).says("denied")
		d.call("getDiagnostics", nil).says("denied")
		d.call("getDiagnostics", object{"uri": "file://" + d.Project + "/.env"}).says("denied")
		if got := stage.Diagnostics(t, d.client, object{"uri": "file://" + fine}); !strings.Contains(got.Content[0].Text, "[") {
			t.Errorf("getDiagnostics: %v", got)
		}
		d.call("openFile", object{"filePath": ".env"}).says("denied")
		d.call("openDiff", object{"old_file_path": fine, "new_file_path": d.Project + "/.env", "new_file_contents": "", "tab_name": "t"}).says("denied")
		d.Command("edit fine.txt")
		d.call("getCurrentSelection", nil).says("fine.txt")
	})
}

// TestPaths_OfASelectionAreThatOfItsText: it stays when the user goes where none can be.
func TestPaths_OfASelectionAreThatOfItsText(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options([]object{{"tool": "*", "path": "**/key.txt", "action": "deny"}}))
		d.Write("key.txt", "secret")
		d.Command("edit key.txt")
		d.types("vee")
		d.eventually(`(require("claudecode.selection").get_latest_selection() or {}).text == "secret"`)
		d.types("<Esc>:split | enew | setlocal buftype=nofile<CR>")
		d.eventually(`vim.bo.buftype == "nofile"`)
		for _, tool := range []string{"getCurrentSelection", "getLatestSelection"} {
			if got := <-d.call(tool, nil).answer; strings.Contains(got, "secret") {
				t.Errorf("%s tells %s", tool, got)
			}
		}
	})
}
