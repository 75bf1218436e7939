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

--- Has nvim-dap know which thread is paused where the adapter says only that all are, as after a pause: for it
--- nothing is paused then, and its user can neither step nor go on.
---@param track mcp_tools.dap.Track
---@param thread? integer
---@param frame? table The top one
---@param frames table[]
function M.adopt(track, thread, frame, frames)
  local session = track.session
  if not thread or not track.stop or track.stop.thread_id or session.stopped_thread_id then
    return
  end
  session.stopped_thread_id, session.current_frame = thread, frame
  local known = session.threads and session.threads[thread]
  if known then
    known.stopped, known.frames = true, frames
  end
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
