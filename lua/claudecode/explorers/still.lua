--- Some explorers tell only what is under the cursor. To ask about other lines it is moved there
--- and back, unseen: nothing is drawn meanwhile, no autocommand runs, the view is put back.

local M = {}

--- Calls f, and puts the window back as it was.
---@generic T
---@param f fun(): T
---@return T
function M.call(f)
  local view, ignored = vim.fn.winsaveview(), vim.o.eventignore
  vim.o.eventignore = "all"
  local ok, result = pcall(f)
  vim.fn.winrestview(view)
  vim.o.eventignore = ignored
  if not ok then
    error(result, 0)
  end
  return result
end

--- Calls f with the cursor in the first column of each line.
---@param first integer From 1
---@param last integer From 1, included
---@param f fun()
function M.each(first, last, f)
  M.call(function()
    for line = first, last do
      vim.api.nvim_win_set_cursor(0, { line, 0 })
      f()
    end
  end)
end

return M
