--- The folds of a window, kept over what would lose them.

local M = {}

local api = vim.api

--- Lines that are asked one by one; to note the folds of more takes less time, even if there are none.
local max_asked = 1000

local function may_have_folds(win)
  if not vim.wo[win].foldenable then
    return false
  elseif api.nvim_buf_line_count(api.nvim_win_get_buf(win)) > max_asked then
    return true
  end
  return api.nvim_win_call(win, function()
    for line = 1, vim.fn.line("$") do
      if vim.fn.foldlevel(line) > 0 then
        return true
      end
    end
    return false
  end)
end

--- The commands that make the folds of the current window anew, and open and close them.
local function script()
  local file, viewoptions = vim.fn.tempname(), vim.o.viewoptions
  vim.o.viewoptions = "folds"
  local ok = pcall(vim.cmd.mkview, { args = { vim.fn.fnameescape(file) }, bang = true })
  vim.o.viewoptions = viewoptions
  local lines = ok and vim.fn.readfile(file) or {}
  vim.uv.fs_unlink(file)
  return table.concat(lines, "\n")
end

--- Remembers which folds a window has, and which of them are open.
---@param win integer
---@return fun() restore Does nothing once the window shows another buffer
function M.save(win)
  local buf = api.nvim_win_get_buf(win)
  local commands = may_have_folds(win) and api.nvim_win_call(win, script)
  return function()
    if not commands or not api.nvim_win_is_valid(win) or api.nvim_win_get_buf(win) ~= buf then
      return
    end
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      pcall(api.nvim_exec2, commands, {})
      vim.fn.winrestview(view)
    end)
  end
end

return M
