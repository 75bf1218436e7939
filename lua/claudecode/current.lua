--- Where the user works. Who asks Claude from a terminal of the editor is in that terminal, and means
--- the file beside it.

local M = {}

local api = vim.api

---@param win integer
local function is_terminal(win)
  return vim.bo[api.nvim_win_get_buf(win)].buftype == "terminal"
end

---@param win integer
local function is_float(win)
  return api.nvim_win_get_config(win).relative ~= ""
end

--- The current window, or if a terminal is in it the one that the user came from, else the first of
--- the tab page without one; the current one if all have one.
---@return integer
function M.win()
  local current = api.nvim_get_current_win()
  if not is_terminal(current) then
    return current
  end
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  local others = api.nvim_tabpage_list_wins(0)
  table.insert(others, 1, before)
  for _, win in ipairs(others) do
    if win ~= 0 and not is_terminal(win) and not is_float(win) then
      return win
    end
  end
  return current
end

--- The buffer in that window.
---@return integer
function M.buf()
  return api.nvim_win_get_buf(M.win())
end

return M
