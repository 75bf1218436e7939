--- What is known of debug sessions. Who waits for something is told of every change; nothing polls.
---
--- That a program is paused is known here from the event on, nvim-dap's own state follows when it
--- has asked for the stack. A stop ends when the program is resumed, by whomever: who resumed it
--- after a stop is told from who did before by the number of the request.

local output = require("mcp-tools.tools.dap.output")

local M = {}

--- Ended sessions of which it is kept how they ended and what the program printed.
M.max_ended = 8

--- Under which listeners are known to nvim-dap.
M.key = "mcp-tools"

---@class (exact) mcp_tools.dap.Stop
---@field reason string
---@field text? string What the adapter says of it
---@field thread_id? integer
---@field all boolean Whether the whole program is paused, as far as the adapter says
---@field before? integer The thread that nvim-dap had for the stopped one before
---@field seq integer Number of the first request after it

---@class (exact) mcp_tools.dap.Track
---@field id integer
---@field session table The session, of nvim-dap
---@field parent_id? integer
---@field name string
---@field adapter_type string
---@field stop? mcp_tools.dap.Stop Where it is paused, the newest
---@field others table<integer, mcp_tools.dap.Stop> Where threads are paused besides, by thread
---@field stale? table The frame that nvim-dap had before it stopped
---@field driven boolean Whether a tool has the program run, so that nobody is to be taken to where it stops
---@field configuring boolean Whether the adapter takes breakpoints
---@field launched boolean
---@field launch_error? string
---@field over? string How the program ended
---@field closed boolean
---@field output mcp_tools.dap.Output

local tracks = {} ---@type table<integer, mcp_tools.dap.Track>
local ended = {} ---@type integer[] ids of closed sessions, oldest first
local watchers = {} ---@type table<fun(track: mcp_tools.dap.Track), true>
local ours = setmetatable({}, { __mode = "k" }) ---@type table<table, true> arguments of requests of tools

--- Has f run after each change, until the function that is returned is called.
---@param f fun(track: mcp_tools.dap.Track)
---@return fun() stop
function M.subscribe(f)
  watchers[f] = true
  return function()
    watchers[f] = nil
  end
end

---@param track mcp_tools.dap.Track
function M.changed(track)
  for _, f in ipairs(vim.tbl_keys(watchers)) do
    if watchers[f] then
      f(track)
    end
  end
end

local function close(track)
  if track.closed then
    return
  end
  track.closed, track.over = true, track.over or "session ended"
  track.stop, track.others = nil, {}
  table.insert(ended, track.id)
  if #ended > M.max_ended then
    tracks[table.remove(ended, 1)] = nil
  end
  M.changed(track)
end

--- What is known of a session.
---@param session table
---@return mcp_tools.dap.Track
function M.of(session)
  local track = tracks[session.id]
  if track then
    if session.closed then
      close(track)
    end
    return track
  end
  local config = session.config or {}
  track = {
    id = session.id,
    session = session,
    parent_id = session.parent and session.parent.id,
    name = tostring(config.name or ""),
    adapter_type = tostring(config.type or ""),
    others = {},
    driven = false,
    configuring = session.initialized == true,
    launched = session.initialized == true,
    closed = false,
    output = output.new(),
  }
  if session.stopped_thread_id then
    track.stop = { reason = "unknown", thread_id = session.stopped_thread_id, all = true, seq = session.seq or 0 }
  end
  tracks[session.id] = track
  -- It may be called where Neovim must not be.
  session.on_close = session.on_close or {}
  session.on_close[M.key] = vim.schedule_wrap(function()
    close(track)
  end)
  if session.closed then
    close(track)
  else
    M.changed(track)
  end
  return track
end

--- Everything that is known, by id, ended sessions too.
---@return mcp_tools.dap.Track[]
function M.all()
  local all = vim.tbl_values(tracks)
  table.sort(all, function(a, b)
    return a.id < b.id
  end)
  return all
end

--- Whether a session is another one, or was started by it.
---@param track mcp_tools.dap.Track
---@param id integer
---@return boolean
function M.is_within(track, id)
  local seen = {}
  while track and not seen[track.id] do
    if track.id == id then
      return true
    end
    seen[track.id] = true
    track = tracks[track.parent_id]
  end
  return false
end

--- Notes that a request with these arguments is a tool's.
---@param arguments table
function M.own(arguments)
  ours[arguments] = true
end

--- Whether a request with these arguments is a tool's.
---@param arguments? table
---@return boolean
function M.is_own(arguments)
  return arguments ~= nil and ours[arguments] == true
end

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
    M.changed(track)
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
  M.own(arguments)
  local stop, others = track.stop, vim.deepcopy(track.others)
  set_aside(track, arguments.threadId)
  track.over, track.driven = nil, true
  track.stale = track.session.current_frame
  M.changed(track)
  return function()
    if not track.stop and not track.closed then
      track.stop, track.others = stop, others
    end
  end
end

return M
