--- Keeps what is known of debug sessions true, by nvim-dap's own events.

local output = require("mcp-tools.tools.dap.output")
local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

local key, installed = tracks.key, false

local on = {} ---@type table<string, fun(track: mcp_tools.dap.Track, body: table)> by event

function on.stopped(track, body)
  local told = body.description or body.text
  if body.text and body.description and body.text ~= body.description then
    told = ("%s: %s"):format(body.description, body.text)
  end
  local session = track.session
  track.stop = {
    reason = tostring(body.reason or "unknown"),
    text = told,
    thread_id = body.threadId,
    seq = session.seq or 0,
  }
  track.over, track.stale = nil, session.current_frame
  if track.driven then
    body.preserveFocusHint = true -- nvim-dap would put the program's file where the user types
  end
end

function on.continued(track, body)
  local all = body.allThreadsContinued == nil or body.allThreadsContinued
  if track.stop and (all or body.threadId == track.stop.thread_id) then
    track.stop = nil
  end
end

function on.initialized(track)
  track.configuring = true
end

function on.exited(track, body)
  track.over = ("debuggee exited with code %s"):format(tostring(body.exitCode))
end

function on.terminated(track)
  track.stop, track.over = nil, track.over or "session terminated"
end

function on.output(track, body)
  output.add(track.output, body.category, body.output)
end

--- Requests that make a program run on.
local resumes = { "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto", "restartFrame" }

--- Takes the answer to a request that resumes a program.
local function resumed(session, err, _, arguments, seq)
  local track = tracks.of(session)
  if tracks.is_own(arguments) then
    return
  end
  track.driven = false
  if not err and track.stop and (not seq or seq >= track.stop.seq) then
    track.stop = nil
    tracks.changed(track)
  end
end

local function launched(session, err)
  local track = tracks.of(session)
  track.launched = not err
  track.launch_error = require("mcp-tools.tools.dap.call").reason(err)
  tracks.changed(track)
end

local function listen(listeners)
  local before, after = listeners.before, listeners.after
  for event, f in pairs(on) do
    before["event_" .. event][key] = function(session, body)
      local track = tracks.of(session)
      f(track, body or {})
      tracks.changed(track)
    end
  end
  for _, command in ipairs(resumes) do
    before[command][key] = resumed
  end
  before.initialize[key] = function(session)
    tracks.of(session)
  end
  before.launch[key], before.attach[key] = launched, launched
  after.event_initialized[key] = function(session)
    require("mcp-tools.tools.dap.columns").send_all(session)
  end
  after.setBreakpoints[key] = function(session, err, _, arguments)
    if not err and arguments and not tracks.is_own(arguments) then
      require("mcp-tools.tools.dap.columns").check(session, arguments)
    end
  end
  after.stackTrace[key] = function(session)
    require("mcp-tools.tools.dap.mark").place(tracks.of(session))
  end
  if listeners.on_session then
    listeners.on_session[key] = function(_, new)
      if new then
        tracks.of(new)
      end
    end
  end
end

--- Begins to watch.
---@param dap table nvim-dap
function M.install(dap)
  if installed then
    return
  end
  installed = true
  listen(dap.listeners)
  local function see(sessions)
    for _, session in pairs(sessions or {}) do
      tracks.of(session)
      see(session.children)
    end
  end
  see(dap.sessions())
end

local function are_tools_on()
  return vim.iter(require("mcp-tools.registry").names()):any(function(name)
    return vim.startswith(name, "dap_")
  end)
end

--- Begins to watch as soon as nvim-dap does anything, if there are tools of the debugger then.
function M.arm()
  local group = vim.api.nvim_create_augroup("mcp-tools.dap", {})
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = "DapProgressUpdate",
    callback = function()
      if installed then
        return true
      elseif package.loaded.dap and are_tools_on() then
        M.install(require("dap"))
        return true
      end
    end,
  })
end

return M
