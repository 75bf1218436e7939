// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"claudecoded/lua"
	"claudecoded/test/nvimtest"
)

func TestHelp_NamesEveryCommandOptionAndTool(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		dir := nvimtest.Dir(t)
		var help []byte
		for _, name := range []string{"claudecode.txt", "mcp-tools.txt"} {
			text, err := os.ReadFile(filepath.Join(nvimtest.Root(t), "doc", name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
			help = append(help, text...)
		}
		e := start(t, nvim, options{}).ready()
		e.lua(nil, "vim.cmd.helptags((...))", dir) // fails on a tag given twice
		tags, err := os.ReadFile(filepath.Join(dir, "tags"))
		if err != nil {
			t.Fatal(err)
		}
		var known []string
		for line := range strings.Lines(string(tags)) {
			tag, _, _ := strings.Cut(line, "\t")
			known = append(known, tag)
		}
		want := value[[]string](e, `
			local want = { "claudecode-auto_start", "claudecode-log_level", "claudecode-port_range" }
			for _, key in ipairs({ "cmd", "log_file", "ping_interval_ms", "max_clients", "allowed_hosts" }) do
				table.insert(want, "claudecode-daemon." .. key)
			end
			for name in pairs(vim.api.nvim_get_commands({})) do
				if vim.startswith(name, "ClaudeCode") then
					table.insert(want, ":" .. name)
				end
			end
			for _, tool in ipairs(require("claudecode.tools").get_tool_list()) do
				table.insert(want, "claudecode-" .. tool.name)
			end
			for module, tag in pairs({ ["claudecode"] = "claudecode.", ["mcp-tools"] = "mcp-tools." }) do
				for name, f in pairs(require(module)) do
					if type(f) == "function" and name ~= "status" then
						table.insert(want, tag .. name .. "()")
					end
				end
			end
			return want
		`)
		for _, tag := range want {
			if !slices.Contains(known, tag) {
				t.Errorf("no help for %s", tag)
			}
		}
		for _, link := range regexp.MustCompile(`\|((?:claudecode|mcp-tools|:ClaudeCode)[^|\s]*)\|`).FindAllStringSubmatch(string(help), -1) {
			if !slices.Contains(known, link[1]) {
				t.Errorf("the link %s leads nowhere", link[0])
			}
		}
		for number, line := range strings.Split(string(help), "\n") {
			if width := value[int](e, "return vim.fn.strdisplaywidth((...))", line); width > 80 {
				t.Errorf("line %d is %d columns wide", number+1, width)
			}
		}
	})
}

func TestFS_HoldsTheWholeLua(t *testing.T) {
	t.Parallel()
	onDisk := os.DirFS(filepath.Join(nvimtest.Root(t), "lua"))
	var names []string
	err := fs.WalkDir(onDisk, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(name, ".lua") {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 20 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		want, err := fs.ReadFile(onDisk, name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(lua.FS, name); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
