// Copyright (c) 2026 the claudecoded authors. MIT license.

package policy

import (
	"slices"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// everyTool switches all tools on that come along, and lists them on the IDE socket too, where
// the client of the tests is.
const everyTool = `
	require("claudecode.tools").setup()
	local categories, registry = require("mcp-tools.categories"), require("mcp-tools.registry")
	for _, category in ipairs(categories.names) do
		categories.enable(category)
	end
	for _, name in ipairs(registry.names()) do
		registry.get(name).ide = true
	end
	require("claudecode.daemon").push_catalogue()
	vim.diagnostic.set(vim.api.nvim_create_namespace("test"), vim.fn.bufadd(".env.unopened"), {
		{ lnum = 0, col = 0, message = "unopened" },
	})
	vim.fn.setqflist({ { filename = ".env", lnum = 1, text = "secret" } })
	vim.fn.setloclist(0, { { filename = ".env", lnum = 1, text = "secret" } })
	registry.execute("undo_checkpoint", { name = "secrets", path = ".env" })
	return registry.names()
`

// reach is what each tool that comes along could be asked, so that it would tell of a file that
// is denied, or change it; nil for those that tell no file's content. A tool that is not here
// fails the test: it must say which files it touches.
var reach = map[string][]object{
	"diagnostics_list":      {{"path": ".env"}, {"scope": "all"}, {"scope": "workspace", "path": "fine.txt"}},
	"lsp_hover":             {{"path": ".env", "line": 1}, {"uri": "file:.env", "line": 1}},
	"lsp_definition":        {{"path": ".env", "line": 1}},
	"lsp_declaration":       {{"path": ".env", "line": 1}},
	"lsp_type_definition":   {{"path": ".env", "line": 1}},
	"lsp_references":        {{"path": ".env", "line": 1}},
	"lsp_implementation":    {{"path": ".env", "line": 1}},
	"lsp_symbols":           {{"path": ".env"}},
	"lsp_workspace_symbols": {{"query": "s"}, {"query": "s", "path": ".env"}},
	"lsp_signature":         {{"path": ".env", "line": 1}},
	"lsp_incoming_calls":    {{"path": ".env", "line": 1}},
	"lsp_outgoing_calls":    {{"path": ".env", "line": 1}},
	"lsp_code_actions":      {{"path": ".env", "line": 1}},
	"lsp_rename":            {{"path": ".env", "line": 1, "new_name": "n"}},
	"lsp_apply_code_action": {{"path": ".env", "line": 1, "title": "t"}},
	"buffers_list":          nil,
	"buffers_read":          {{"path": ".env"}},
	"buffers_open":          {{"path": ".env"}},
	"buffers_edit":          {{"path": ".env", "edits": []object{{"start_line": 1, "new_text": "x"}}}},
	"buffers_search":        {{"pattern": "s"}, {"pattern": "s", "path": ".env"}},
	"quickfix_read":         {{}, {"start": 1, "limit": 1}},
	"quickfix_set":          {{"items": []object{{"path": ".env"}}}},
	"loclist_read":          {{}},
	"loclist_set":           {{"items": []object{{"path": ".env"}}}},
	"undo_tree":             {{"path": ".env"}},
	"undo_checkpoint":       {{"name": "n", "all": true}, {"name": "n", "path": ".env"}},
	"undo_revert":           {{"name": "secrets"}},
	"test_async_prompt":     nil,
	"test_sync_buffers":     nil,
	"interview":             nil,
	"exec_ex":               {{"command": "edit .env"}, {"command": "echo 1"}},
	"exec_lua":              {{"code": `return io.open(".env"):read("*a")`}},

	"openFile":            {{"filePath": ".env"}},
	"getCurrentSelection": nil, // of the current buffer
	"getOpenEditors":      nil,
	"openDiff":            {{"old_file_path": ".env", "new_file_path": ".env", "new_file_contents": "", "tab_name": "t"}},
	"getLatestSelection":  nil, // of the buffer that it is of
	"closeAllDiffTabs":    nil,
	"getDiagnostics":      {{}, {"uri": ".env"}},
	"getWorkspaceFolders": nil,
	"checkDocumentDirty":  {{"filePath": ".env"}},
	"saveDocument":        {{"filePath": ".env"}},
	"close_tab":           nil,

	"run": nil, "look": nil, "careful": nil, // the tests' own
}

// TestPaths_AreNotEvadedByAnyToolThatComesAlong asks every tool for a file that is denied.
func TestPaths_AreNotEvadedByAnyToolThatComesAlong(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := guarded(t, nvim, false)
		for _, name := range []string{".env", ".env.unopened", "fine.txt"} {
			d.Write(name, "secret")
		}
		d.Command("edit .env")
		d.Command("edit fine.txt")
		var names []string
		d.Lua(&names, everyTool)
		d.offers("exec_lua")
		d.eventually(`require("mcp-tools.checkpoints").find("secrets") ~= nil`)
		for _, name := range names {
			calls, known := reach[name]
			if !known {
				t.Errorf("%s: which files does it touch?", name)
			}
			for _, arguments := range calls {
				t.Log(name, arguments)
				d.call(name, arguments).says("denied")
			}
		}
		// What servers say of a file that nobody opened is of that file too.
		d.Command("bwipeout .env")
		d.call("getDiagnostics", nil).says("denied")
		d.call("diagnostics_list", object{"scope": "workspace"}).says("denied")
	})
}

// TestPaths_OfOthersAreLeftAlone: a rule about some files closes no tool for the others.
func TestPaths_OfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options([]object{
			{"tool": "*", "path": "**/.env*", "action": "deny"},
		}))
		d.Write(".env", "secret")
		d.Write("fine.txt", "fine")
		d.Command("edit fine.txt")
		d.Command("edit .env")
		var names []string
		d.Lua(&names, everyTool)
		d.offers("exec_lua")
		for name, arguments := range map[string]object{
			"buffers_read":      {"path": "fine.txt"},
			"buffers_search":    {"path": "fine.txt", "pattern": "fine"},
			"buffers_list":      {},
			"test_sync_buffers": {},
		} {
			t.Log(name)
			d.call(name, arguments).says("fine")
		}
		if !slices.Contains(names, "interview") {
			t.Errorf("%q", names)
		}
	})
}

// plain are the arguments of tools that come along which are texts and no paths, by tool, or by
// name for all.
var plain = []string{
	"symbol", "query", "kind", "title", "new_name", "pattern", "severity", "scope", "name", "text", "type", "old_text", "new_text",
	"prompt", "options", "question", "choices", "command", "code", "startText", "endText", "new_file_contents", "tab_name",
	"memory_reference", "category", "condition", "hit_condition", "log_message", "filter", "filters",
}

// TestPaths_AreSeenInEveryArgumentOfToolsThatComeAlong: an argument is a path or a buffer, which
// rules see, or a text that is known to be none.
func TestPaths_AreSeenInEveryArgumentOfToolsThatComeAlong(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := guarded(t, nvim, false)
		d.Lua(nil, everyTool)
		var unseen []string
		d.Lua(&unseen, `
			local plain, own = {}, { run = true, look = true, careful = true }
			for _, name in ipairs(...) do
				plain[name] = true
			end
			local paths = require("mcp-tools.permissions.paths")
			local schema_of, touches = require("mcp-tools.schema").of, require("mcp-tools.permissions.touches")
			local unseen, tools, place = {}, {}, "/nowhere/at/all"
			for _, name in ipairs(require("mcp-tools.registry").names()) do
				tools[name] = require("mcp-tools.registry").get(name)
			end
			for _, file in ipairs(vim.api.nvim_get_runtime_file("lua/mcp-tools/tools/*", true)) do
				local category = vim.fn.fnamemodify(file, ":t:r")
				local found = require("mcp-tools.tools." .. category)
				for _, tool in ipairs(type(found) == "function" and found() or found) do
					tools[tool.name] = tool
				end
			end
			local function is_seen(tool, value)
				local copy = vim.tbl_extend("force", tool, { name = "copy", paths = false })
				copy.paths = nil
				package.loaded["mcp-tools.registry"] = { get = function() return copy end }
				local found = assert(paths.of("copy", value))
				package.loaded["mcp-tools.registry"] = registry
				return vim.list_contains(found, place)
			end
			registry = require("mcp-tools.registry")
			-- wrap makes the arguments in which a value stands at its place.
			local function look(tool, properties, wrap)
				for name, property in pairs(properties or {}) do
					local function with(value) return wrap({ [name] = value }) end
					local items = property.items or {}
					if property.properties then
						look(tool, property.properties, with)
					elseif items.properties then
						look(tool, items.properties, function(value) return with({ value }) end)
					elseif property.type == "string" or items.type == "string" then
						local value = property.type == "string" and place or { place }
						if not plain[name] and not is_seen(tool, with(value)) then
							table.insert(unseen, tool.name .. ": " .. name)
						elseif is_seen(tool, with(value)) and tool.paths == touches.none then
							table.insert(unseen, tool.name .. ": " .. name .. ", of which it says that it touches none")
						end
					end
				end
			end
			for name, tool in pairs(tools) do
				local schema = schema_of(tool)
				if not own[name] and tool.paths ~= touches.unknown then
					look(tool, type(schema) == "table" and schema.properties or {}, function(value) return value end)
				end
			end
			table.sort(unseen)
			return unseen`, plain)
		if len(unseen) > 0 {
			t.Errorf("rules see no path in %q", unseen)
		}
	})
}
