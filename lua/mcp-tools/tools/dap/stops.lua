--- Where the threads of a program are paused.
---
--- That a program is paused is known here from the event on, nvim-dap's own state follows when it
--- has asked for the stack. A stop ends when the program is resumed, by whomever: who resumed it
--- after a stop is told from who did before by the number of the request.

local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

---@class (exact) mcp_tools.dap.Stop
---@field reason string
---@field text? string What the adapter says of it
---@field thread_id? integer
---@field all boolean Whether the whole program is paused, as far as the adapter says
---@field before? integer The thread that nvim-dap had for the stopped one before
---@field seq integer Number of the first request after it

--- Keeps where another thread is paused while something else happens to the program.
---@param track mcp_tools.dap.Track
---@param thread? integer To which it happens
local function set_aside(track, thread)
  local stop = track.stop
  if stop and stop.thread_id and thread and stop.thread_id ~= thread and not stop.all then
    track.others[stop.thread_id] = stop
  end
  if thread then
    track.others[thread] = nil
  end
  track.stop = nil
end

--- Notes that a program is paused. Where other threads of it are is not forgotten.
---@param track mcp_tools.dap.Track
---@param stop mcp_tools.dap.Stop
function M.paused(track, stop)
  set_aside(track, stop.thread_id)
  track.stop = stop
end

--- Has the newest of the threads that are still paused be the one that counts, if no other does.
---@param track mcp_tools.dap.Track
function M.recall(track)
  local newest ---@type mcp_tools.dap.Stop?
  for _, stop in pairs(track.others) do
    newest = (not newest or stop.seq > newest.seq) and stop or newest
  end
  if newest and not track.stop then
    track.others[newest.thread_id], track.stop = nil, newest
    tracks.changed(track)
  end
end

--- Notes that a program runs again, or a thread of it.
---@param track mcp_tools.dap.Track
---@param thread? integer
---@param all? boolean
function M.runs(track, thread, all)
  if all or not thread then
    track.stop, track.others = nil, {}
    return
  end
  track.others[thread] = nil
  if track.stop and (track.stop.thread_id or thread) == thread then
    track.stop = nil
    M.recall(track)
  end
end

--- Notes that a tool makes a request that resumes the program.
---@param track mcp_tools.dap.Track
---@param arguments table
---@return fun() undo For when it does not
function M.resuming(track, arguments)
  tracks.own(arguments)
  local stop, others = track.stop, vim.deepcopy(track.others)
  set_aside(track, arguments.threadId)
  track.over, track.driven = nil, true
  track.stale = track.session.current_frame
  tracks.changed(track)
  return function()
    if not track.stop and not track.closed then
      track.stop, track.others = stop, others
    end
  end
end

return M
