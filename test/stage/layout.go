// Copyright (c) 2026 the claudecoded authors. MIT license.

package stage

// Layout is Lua code for tests of windows that come and go, once the plugin is set up. It has
// nothing wait long for the user, and gives shape(), which names the windows of all tab pages
// with the one that the cursor is in and those in diff mode, and line(), which is any value in
// one line.
const Layout = `
	vim.opt.shortmess:append("I")
	vim.o.swapfile = false
	require("claudecode.moment").quiet_ms = 10
	function shape()
		local parts = {}
		for number, page in ipairs(vim.api.nvim_list_tabpages()) do
			for _, win in ipairs(vim.api.nvim_tabpage_list_wins(page)) do
				local name = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
				table.insert(parts, ("%s%d %s%s"):format(win == vim.api.nvim_get_current_win() and "*" or "", number,
					name == "" and "-" or name, vim.wo[win].diff and " diff" or ""))
			end
		end
		return table.concat(parts, " | ")
	end
	function line(value)
		return (vim.inspect(value):gsub("%s+", " "))
	end
`
