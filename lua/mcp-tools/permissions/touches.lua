--- Which files a tool touches whose arguments do not say it: what `paths` of a tool can be.

local M = {}

local api = vim.api

--- For a tool that touches the content of none.
---@return string[]
function M.none()
  return {}
end

--- For a tool that touches all that are open.
---@return string[]
function M.every_buffer()
  local loaded = vim.tbl_filter(api.nvim_buf_is_loaded, api.nvim_list_bufs())
  return vim.tbl_map(api.nvim_buf_get_name, loaded)
end

return M
