--- What programs printed in a terminal that nvim-dap opened for them. It lets the next program have the
--- terminal of one that ended.

local output = require("mcp-tools.tools.dap.output")

local M = {}

local api = vim.api

--- Empty lines below the end of what a terminal shows, at most.
local max_empty = 200

---@param buf integer
---@param limit integer
---@return string[]
local function tail(buf, limit)
  local lines = api.nvim_buf_get_lines(buf, -limit - max_empty, -1, false)
  while lines[#lines] == "" do
    table.remove(lines)
  end
  return vim.list_slice(lines, math.max(1, #lines + 1 - limit))
end

---@param track mcp_tools.dap.Track
local function buffer(track)
  local buf = track.session.term_buf
  return buf and api.nvim_buf_is_loaded(buf) and buf or nil
end

--- Keeps the end of it: the session is over.
---@param track mcp_tools.dap.Track
function M.keep(track)
  local buf = buffer(track)
  track.terminal = buf and tail(buf, output.max_lines) or nil
end

--- The newest lines.
---@param track mcp_tools.dap.Track
---@param all mcp_tools.dap.Track[]
---@param limit integer
---@return string[]
function M.lines(track, all, limit)
  local buf = buffer(track)
  local has_another = vim.iter(all):any(function(other)
    return other.id > track.id and other.session.term_buf == buf
  end)
  if buf and not has_another then
    return tail(buf, limit)
  end
  local kept = track.terminal or {}
  return vim.list_slice(kept, math.max(1, #kept + 1 - limit))
end

return M
