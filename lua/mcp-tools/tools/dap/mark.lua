--- Where a program stopped that tools have run, marked for the user as nvim-dap marks it. nvim-dap
--- itself marks a place only if it takes the user there.

local paths = require("claudecode.paths")

local M = {}

--- Of the sign, that of nvim-dap.
local sign, priority = "DapStopped", 22

--- The frame that nvim-dap has chosen since the program stopped: the user may choose another.
---@param track mcp_tools.dap.Track
---@return table? frame
function M.frame(track)
  local frame = track.session.current_frame
  return track.stop and frame ~= track.stale and frame or nil
end

---@param track mcp_tools.dap.Track
function M.clear(track)
  pcall(vim.fn.sign_unplace, track.session.sign_group)
end

--- Marks the place, in a buffer that is loaded.
---@param track mcp_tools.dap.Track
function M.place(track)
  local frame = track.driven and M.frame(track)
  local path = frame and frame.source and frame.source.path
  local buf = path and paths.find_buffer(path)
  if not buf then
    return
  end
  M.clear(track)
  pcall(vim.fn.sign_place, 0, track.session.sign_group, sign, buf, { lnum = frame.line, priority = priority })
end

return M
