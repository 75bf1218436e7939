--- Keeps what is known of debug sessions true, by nvim-dap's own events.

local output = require("mcp-tools.tools.dap.output")
local present = require("mcp-tools.tools.dap.present")
local stops = require("mcp-tools.tools.dap.stops")
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
  stops.paused(track, {
    reason = tostring(body.reason or "unknown"),
    text = told,
    thread_id = body.threadId,
    all = body.allThreadsStopped == true,
    before = session.stopped_thread_id,
    seq = session.seq or 0,
  })
  track.over, track.stale = nil, session.current_frame
  if track.driven then
    body.preserveFocusHint = true -- nvim-dap would put the program's file where the user types
  end
end

function on.continued(track, body)
  stops.runs(track, body.threadId, body.allThreadsContinued ~= false)
end

function on.thread(track, body)
  if body.reason == "exited" and body.threadId then
    stops.runs(track, body.threadId)
  end
end

function on.initialized(track)
  track.configuring = true
end

function on.exited(track, body)
  track.over = ("debuggee exited with code %s"):format(tostring(body.exitCode))
end

function on.terminated(track)
  track.over = track.over or "session terminated"
  stops.runs(track, nil, true)
end

function on.output(track, body)
  output.add(track.output, body.category, body.output)
end

--- Requests that make a program run on.
local resumes = { "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto", "restartFrame" }

--- Takes the answer to a request that resumes a program. nvim-dap itself makes one where another thread
--- stops than the one that the user is in.
local function resumed(session, err, body, arguments, seq)
  local track, thread = tracks.of(session), arguments and arguments.threadId
  local all = type(body) == "table" and body.allThreadsContinued == true
  if tracks.is_own(arguments) then
    track.others = all and {} or track.others
    return
  end
  local is_users = not thread or not session.stopped_thread_id or session.stopped_thread_id == thread
  track.driven = track.driven and not is_users
  if not err and track.stop and (not seq or seq >= track.stop.seq) then
    stops.runs(track, thread, all or track.stop.all)
    tracks.changed(track)
  end
end

local function launched(session, err)
  local track = tracks.of(session)
  track.launched = not err
  track.launch_error = require("mcp-tools.tools.dap.call").reason(err)
  tracks.changed(track)
end

--- What goes wrong with us must not keep nvim-dap from what it does.
local function guarded(f)
  return function(...)
    local ok, err = pcall(f, ...)
    if not ok then
      require("claudecode.log").error("dap", require("claudecode.strict").reason(err))
    end
  end
end

local function listen(listeners)
  local before, after = listeners.before, listeners.after
  for event, f in pairs(on) do
    before["event_" .. event][key] = guarded(function(session, body)
      local track = tracks.of(session)
      f(track, type(body) == "table" and body or {})
      tracks.changed(track)
    end)
  end
  for _, command in ipairs(resumes) do
    before[command][key] = guarded(resumed)
  end
  before.initialize[key] = guarded(function(session)
    tracks.of(session)
  end)
  before.launch[key], before.attach[key] = guarded(launched), guarded(launched)
  after.event_initialized[key] = guarded(function(session)
    require("mcp-tools.tools.dap.columns").send_all(session)
  end)
  after.setBreakpoints[key] = guarded(function(session, err, _, arguments)
    if not err and arguments and not tracks.is_own(arguments) then
      require("mcp-tools.tools.dap.columns").check(session, arguments)
    end
  end)
  after.stackTrace[key] = guarded(function(session)
    require("mcp-tools.tools.dap.mark").place(tracks.of(session))
  end)
  if listeners.on_session then
    listeners.on_session[key] = guarded(function(_, new)
      if new then
        tracks.of(new)
      end
    end)
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
      end
      local dap = package.loaded.dap
      if type(dap) == "table" and not present.lacks(dap) and are_tools_on() then
        M.install(dap)
        return true
      end
    end,
  })
end

return M
