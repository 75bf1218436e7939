--- Which files a tool touches whose arguments do not say it: what `paths` of a tool can be.

local M = {}

local api = vim.api

--- For a tool that touches the content of none.
---@return string[]
function M.none()
  return {}
end

---@param holds fun(buf: integer): boolean
---@return string[]
local function names(holds)
  return vim.tbl_map(api.nvim_buf_get_name, vim.tbl_filter(holds, api.nvim_list_bufs()))
end

--- For a tool that touches all that are open.
---@return string[]
function M.every_buffer()
  return names(api.nvim_buf_is_loaded)
end

--- For a tool that tells all diagnostics. Servers report on files, too, that nobody opened: those have
--- buffers that are not loaded.
---@return string[]
function M.every_diagnosed()
  return names(function(buf)
    return api.nvim_buf_is_loaded(buf) or next(vim.diagnostic.count(buf)) ~= nil
  end)
end

--- For a tool that touches all that are open unless its arguments name one of them.
---@param args { bufnr?: integer, path?: string, uri?: string }
---@return string[]? paths nil: the arguments say it
function M.named_or_every_buffer(args)
  if args.bufnr == nil and args.path == nil and args.uri == nil then
    return M.every_buffer()
  end
end

--- For a tool that may touch any: no rule about paths can be kept of it but by denying it.
function M.unknown()
  error("it may touch any file", 0)
end

return M
