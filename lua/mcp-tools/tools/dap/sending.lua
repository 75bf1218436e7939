--- Breakpoints as adapters have them: those of a file or, for a while, one line only.

local calls = require("mcp-tools.tools.dap.call")
local columns = require("mcp-tools.tools.dap.columns")
local sessions = require("mcp-tools.tools.dap.sessions")
local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

local api = vim.api

--- Sessions whose adapters take breakpoints now. Others get them when they do.
---@param call mcp_tools.WaitingCall
---@return mcp_tools.dap.Track[]
function M.ready(call)
  return vim.tbl_filter(function(track)
    return track.configuring or track.session.initialized
  end, sessions.open(call))
end

--- What an adapter said of the breakpoint of a line.
local function verdict(arguments, response, line)
  for i, bp in ipairs(arguments and arguments.breakpoints or {}) do
    if bp.line == line then
      return (response and response.breakpoints or {})[i]
    end
  end
end

--- Tells an adapter the breakpoints of a buffer, and waits for what it says of one.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param buf integer
---@param line integer
---@return table? verdict
function M.send(call, track, buf, line)
  local key, said = {}, nil
  local heard, path = require("dap").listeners.before.setBreakpoints, api.nvim_buf_get_name(buf)
  heard[key] = function(session, err, response, arguments)
    if session == track.session and arguments and arguments.source and arguments.source.path == path then
      said = err and { verified = false, message = calls.reason(err) } or verdict(arguments, response, line)
    end
  end
  local forget = call:on_stop(function()
    heard[key] = nil
  end)
  local answer = calls.exchange(call, calls.limit(call, calls.request_ms, calls.request_ms), function(answer)
    track.session:set_breakpoints(columns.breakpoints(buf), answer)
  end, function()
    return track.closed and {} or nil
  end)
  heard[key] = nil
  forget()
  return answer and answer.err and { verified = false, message = answer.err } or said
end

--- Has an adapter have the real breakpoints again once the program has stopped anew or ended, or if
--- nobody has it run any more before it did.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param buf integer Which has one that is not real
---@return fun() restore At once
function M.restore_later(call, track, buf)
  local begun, since, unsubscribe = track.stop, track.session.seq, nil
  local function restore()
    unsubscribe()
    if track.closed then
      return
    end
    local real = require("dap.breakpoints").get()
    real[buf] = real[buf] or {}
    for other in pairs(real) do
      real[other] = columns.breakpoints(other)[other] or {}
    end
    pcall(track.session.set_breakpoints, track.session, real)
  end
  unsubscribe = tracks.subscribe(function(changed)
    if changed == track and (track.over or track.stop and track.stop.seq > since) then
      restore()
    end
  end)
  call:on_stop(function()
    if track.stop == begun then
      restore()
    end
  end)
  return restore
end

--- Tells an adapter to stop at one line only.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param buf integer
---@param line integer
---@return mcp_tools.dap.Answer
function M.only_at(call, track, buf, line)
  local all, answered = require("dap.breakpoints").get(), nil
  all[buf] = {}
  for other in pairs(all) do
    local path = api.nvim_buf_get_name(other)
    local arguments = {
      source = { path = path, name = vim.fs.basename(path) },
      breakpoints = other == buf and { { line = line } } or {},
      lines = other == buf and { line } or {},
      sourceModified = false,
    }
    tracks.own(arguments)
    local answer = calls.ask(call, track, "setBreakpoints", arguments, calls.request_ms)
    answered = other == buf and answer or answered
  end
  return answered
end

return M
