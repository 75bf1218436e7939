// Copyright (c) 2026 the claudecoded authors. MIT license.

package explorers

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// broken are explorers that cannot say what is selected: what is said instead.
var broken = []struct{ setup, command, want string }{
	{"", "ClaudeCodeTreeAdd", "ClaudeCodeTreeAdd: Not in a supported tree buffer (current filetype: text)"},
	{"shows('oil')", "ClaudeCodeTreeAdd", "ClaudeCodeTreeAdd: Failed to get current directory"},
	{"shows('oil')", "ClaudeCodeSend", "ClaudeCodeSend->TreeAdd: Failed to get current directory"},
	{"lacks('oil') shows('oil')", "ClaudeCodeTreeAdd", "oil.nvim not available"},
	{"require('oil').open(root)", "ClaudeCodeTreeAdd", "No file found under cursor"},
	{"require('oil').open(root)", "1ClaudeCodeTreeAdd", "ClaudeCodeTreeAdd: No files selected"},
	{"require('oil').open(root) writes('')", "ClaudeCodeTreeAdd", "Failed to get cursor entry"},
	{"require('oil').open(root) writes('new')", "ClaudeCodeTreeAdd", "ClaudeCodeTreeAdd: path does not exist: "},
	{"require('oil').open(root) writes('n1', 'n2', 'a.txt')", "%ClaudeCodeTreeAdd", "2 of 3 files not sent: path does not exist: "},
	{"require('oil').get_cursor_entry = function() error('a fault') end require('oil').open(root)", "ClaudeCodeTreeAdd", "a fault"},
	{"lacks('nvim-tree.api') shows('NvimTree')", "ClaudeCodeTreeAdd", "nvim-tree not available"},
	{"lacks('nvim-tree.api') shows('NvimTree')", "1ClaudeCodeTreeAdd", "nvim-tree not available"},
	{"node(nil)", "ClaudeCodeTreeAdd", "No file found under cursor"},
	{"node({ name = 'x', type = 'file', absolute_path = '/x' })", "ClaudeCodeTreeAdd", "Cannot add root-level file. Please select a file in a subdirectory."},
	{"node({ name = 'x', type = 'file', absolute_path = '/x' })", "1ClaudeCodeTreeAdd", "ClaudeCodeTreeAdd: No files selected"},
	{"lacks('neo-tree.sources.manager') shows('neo-tree')", "ClaudeCodeTreeAdd", "neo-tree not available"},
	{"shows('neo-tree')", "ClaudeCodeTreeAdd", "neo-tree filesystem state not available"},
	{"shows('neo-tree')", "1ClaudeCodeTreeAdd", "neo-tree filesystem state not available"},
	{"require('neo-tree.command').execute({ dir = root }) vim.cmd('$')", "ClaudeCodeTreeAdd", "No file found under cursor"},
	{"lacks('mini.files') shows('minifiles')", "ClaudeCodeTreeAdd", "mini.files not available"},
	{"lacks('mini.files') shows('minifiles')", "1ClaudeCodeTreeAdd", "mini.files not available"},
	{"shows('minifiles')", "ClaudeCodeTreeAdd", "Failed to get entry from mini.files"},
	{"shows('minifiles')", "1ClaudeCodeTreeAdd", "No files found in range"},
	{"require('mini.files').open(root) vim.fn.delete(root .. '/z.txt') vim.cmd('$-1')", "ClaudeCodeTreeAdd", "Invalid file or directory path: "},
	{"shows('netrw')", "ClaudeCodeTreeAdd", "netrw not available"},
	{"shows('netrw')", "1ClaudeCodeTreeAdd", "netrw not available"},
	{"vim.cmd.edit(vim.fn.fnameescape(root)) vim.cmd('1')", "ClaudeCodeTreeAdd", "Failed to get path from netrw"},
	{"vim.cmd.edit(vim.fn.fnameescape(root)) vim.fn.delete(root .. '/z.txt') vim.cmd('$')", "ClaudeCodeTreeAdd", "Invalid file or directory path: "},
	{"lacks('snacks') shows('snacks_picker_list')", "ClaudeCodeTreeAdd", "snacks.nvim picker not available"},
	{"shows('snacks_picker_list')", "ClaudeCodeTreeAdd", "No active snacks picker found"},
	{"require('snacks').picker.pick({ items = { { text = 'no file' } } })", "ClaudeCodeTreeAdd", "No file found in snacks picker selection"},
	{"require('snacks').picker.pick({ items = {} }).selected = error", "ClaudeCodeTreeAdd", "Failed to read snacks picker selection"},
}

// helpers are of the setups: reset makes everything whole again.
const helpers = `
	function lacks(name)
		package.loaded[name] = nil
		package.preload[name] = error
	end
	function shows(filetype)
		require("panel").open(filetype, { "a.txt" })
	end
	function writes(...)
		vim.bo.modifiable = true
		vim.api.nvim_buf_set_lines(0, 0, -1, true, { ... })
	end
	function node(it)
		require("nvim-tree.api").tree.get_node_under_cursor = function() return it end
		shows("NvimTree")
	end
	function reset()
		vim.cmd("silent! %bwipeout! | set filetype=text")
		vim.fn.writefile({}, root .. "/z.txt")
		for _, name in ipairs({ "oil", "nvim-tree.api", "neo-tree.sources.manager", "neo-tree.command", "mini.files", "snacks" }) do
			package.loaded[name], package.preload[name] = nil, nil
		end
	end
`

func TestTreeAdd_SaysWhatIsWrong(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := sit(t, nvim)
		d.serve()
		d.Lua(nil, helpers)
		for _, test := range broken {
			d.Lua(nil, "reset() "+test.setup)
			d.Told(test.command, test.want)
		}
	})
}

func TestTreeAdd_SaysThatNoServerRuns(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := sit(t, nvim)
		d.Told("ClaudeCodeTreeAdd", "ClaudeCodeTreeAdd: Claude Code integration is not running.")
	})
}

// A name does not make an explorer.
func TestSend_KnowsExplorersByFiletypeOnly(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := sit(t, nvim)
		d.serve()
		for _, name := range []string{"NvimTree_1", "neo-tree filesystem [1]", "oil.lua", "minifiles", "NetrwTreeListing"} {
			path := d.Write(name, "text\n")
			d.Lua(nil, "vim.cmd.edit(vim.fn.fnameescape(...))", path)
			d.Told("ClaudeCodeTreeAdd", "Not in a supported tree buffer (current filetype: ")
			d.Told("ClaudeCodeSend", "No visual selection to send as at-mention.")
		}
	})
}
