--- What is known of debug sessions. Who waits for something is told of every change; nothing polls.

local output = require("mcp-tools.tools.dap.output")
local terminal = require("mcp-tools.tools.dap.terminal")

local M = {}

--- Ended sessions of which it is kept how they ended and what the program printed.
M.max_ended = 8

--- Under which listeners are known to nvim-dap.
M.key = "mcp-tools"

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
---@field terminal? string[] What its terminal had when the session ended

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
  terminal.keep(track)
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

return M
