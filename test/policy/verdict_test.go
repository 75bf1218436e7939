// Copyright (c) 2026 the claudecoded authors. MIT license.

package policy

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// TestVerdict_OfTheEditorIsThatOfTheDaemon: files that a call turns out to be about are judged in the
// editor, as the daemon judges those that it names.
func TestVerdict_OfTheEditorIsThatOfTheDaemon(t *testing.T) {
	t.Parallel()
	sets := [][]object{
		{{"tool": "*", "path": "**/.env*", "action": "deny"}},
		{{"tool": "*", "path": "**/.env*", "action": "deny"}, {"tool": "look", "path": "**/.env.example", "action": "allow"}},
		{{"tool": "loo*", "path": "**/src/**", "action": "allow"}, {"tool": "*", "action": "deny"}},
		{{"tool": "l*", "path": "**/src/*.lua", "action": "deny"}, {"tool": "lo*", "path": "**/src/", "action": "allow"}},
		{{"tool": "nvim_look", "path": "**/src/**", "action": "deny"}, {"tool": "look", "path": "**", "action": "allow"}},
		{{"tool": "look", "path": "**/src", "action": "deny"}, {"tool": "look", "path": "**/a/**/?.txt", "action": "deny"}},
		{{"tool": "look", "path": "**/src/**", "action": "allow"}, {"tool": "look", "path": "**/SRC/**", "action": "deny"}},
		{{"tool": "look", "path": []string{"~/pro ject/[id]/*", "/etc/"}, "action": "deny"}},
		{{"tool": "nvim_*", "path": "**", "action": "deny"}, {"tool": "look", "action": "allow"}},
		{{"tool": "look", "path": "**/**/x.txt", "action": "deny"}, {"tool": "look", "path": "/nowhere/**/../x", "action": "allow"}},
	}
	paths := []string{
		".env", ".ENV", ".env.example", "src", "src/", "src/x.lua", "src/deep/x.lua", "SRC/x.lua", "other/./src/../x.txt", "a/b/c/é.txt",
		"a/x.txt", "a/xy.txt", "[id]/page", "i/page", "/etc/hosts", "/etc", "x.txt", "link/x.lua", "~/pro ject/src/x.lua",
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options(sets[0]))
		link(t, "src", d.Project+"/link")
		for _, set := range sets {
			d.Lua(nil, `require("mcp-tools.config").setup(vim.json.decode(...)) require("claudecode.daemon").push_catalogue()`, options(set))
			d.settled()
			for _, path := range paths {
				for client, said := range map[string]string{
					"client_1": <-d.call("look", object{"path": path}).answer,
					"http_1":   <-d.post(1, "nvim_look", fmt.Sprintf(`{"path":%q}`, path)).answer,
				} {
					want := "deny"
					if strings.Contains(said, "did look") {
						want = "allow"
					}
					got := eval[string](d, fmt.Sprintf(`(function()
						local judge = require("mcp-tools.permissions.verdict").of("look", %q)
						return judge and judge(%q) or "allow"
					end)()`, client, path))
					if got != want {
						t.Errorf("%v, %s, %s: %s, the daemon %s (%s)", set, client, path, got, want, said)
					}
				}
			}
		}
	})
}

// A name that is no text is one all the same: each of its bytes is a character, as to the daemon.
func TestVerdict_TakesAnyBytesForAName(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options([]object{
			{"tool": "look", "path": []string{"/n/?.txt", "/n/??/x", "/n/a*b*c", "/n/" + strings.Repeat("?", 300)}, "action": "deny"},
		}))
		for name, want := range map[string]string{
			`/n/\255.txt`: "deny", `/n/\195.txt`: "deny", `/n/é.txt`: "deny", `/n/éé.txt`: "allow", `/n/é\169/x`: "deny",
			`/n/é/x`: "allow", `/n/\255\254/x`: "deny", `/n/abcbc`: "deny", `/n/abcb`: "allow", `/n/` + strings.Repeat("é", 300): "deny",
		} {
			if got := eval[string](d, `(require("mcp-tools.permissions.verdict").of("look", "client_1")("`+name+`"))`); got != want {
				t.Errorf("%s: %s, not %s", name, got, want)
			}
		}
	})
}
