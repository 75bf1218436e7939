--- What pictures.sh takes a picture of: a file, and an edit of it that is proposed.

local before = [[
package lock

// Read reads a lock file.
func Read(path string) (Lock, error) {
	text, _ := os.ReadFile(path)
	var lock Lock
	err := json.Unmarshal(text, &lock)
	return lock, err
}
]]

local after = [[
package lock

// Read reads a lock file.
func Read(path string) (Lock, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Lock{}, err
	}
	var lock Lock
	if err := json.Unmarshal(text, &lock); err != nil {
		return Lock{}, fmt.Errorf("%s: %w", path, err)
	}
	return lock, nil
}
]]

vim.o.termguicolors, vim.o.background, vim.o.number, vim.o.tabstop = true, "dark", true, 4
vim.opt.shortmess:append("F")
vim.fn.writefile(vim.split(before, "\n"), "lock.go", "b")
vim.cmd.edit("lock.go")
require("claudecode").setup({ auto_start = false, diff_opts = { layout = vim.env.LAYOUT, focus = true } })
local path = vim.api.nvim_buf_get_name(0)
require("claudecode.diff").propose({
  tab_name = "[Claude Code] lock.go (e02839)",
  old_path = path,
  new_path = path,
  text = after,
}, function() end)
