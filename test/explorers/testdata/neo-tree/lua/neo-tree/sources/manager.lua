--- What of neo-tree is used. A state is found by what the window's buffer says of itself.

local M = {}

local states = {}

function M.get_state_for_window(win)
  local buf = vim.api.nvim_win_get_buf(win or vim.api.nvim_get_current_win())
  local source, position = vim.b[buf].neo_tree_source, vim.b[buf].neo_tree_position
  return source and position and M.get_state(source)
end

function M.get_state(source)
  states[source] = states[source] or { selected = {} }
  return states[source]
end

return M
