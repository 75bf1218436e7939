--- Tools that have a program run on, and pause it.

local breakpoints = require("mcp-tools.tools.dap.breakpoints")
local calls = require("mcp-tools.tools.dap.call")
local columns = require("mcp-tools.tools.dap.columns")
local mark = require("mcp-tools.tools.dap.mark")
local sessions = require("mcp-tools.tools.dap.sessions")
local wait = require("mcp-tools.tools.dap.wait")
local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

--- What nvim-dap knows of a thread that runs again.
local function running(track, thread)
  local session = track.session
  mark.clear(track)
  session.stopped_thread_id = nil
  if session.threads and session.threads[thread] then
    session.threads[thread].stopped = false
  end
end

--- Resumes a thread that is stopped. That the adapter is late with its answer does not matter once it
--- says what the program does.
---@param call mcp_tools.lsp.Call
---@param track mcp_tools.dap.Track
---@param command string
---@param thread integer
function M.resume(call, track, command, thread)
  local session = track.session
  local known = session.threads and session.threads[thread]
  local arguments = { threadId = thread }
  if command ~= "continue" then
    local defaults = require("dap").defaults[session.config.type]
    arguments.granularity = defaults and defaults.stepping_granularity
  end
  local undo = tracks.resuming(track, arguments)
  local before = session.stopped_thread_id
  running(track, thread)
  local function moved()
    return (track.stop or track.over) and { body = {} } or nil
  end
  local function begin(finish)
    local ok, err = pcall(session.request, session, command, arguments, function(err)
      finish({ err = calls.reason(err) })
    end)
    if not ok then
      finish({ err = tostring(err) })
    end
  end
  local answer = calls.await(call, moved, { ms = calls.limit(call, calls.request_ms, calls.request_ms), begin = begin })
  if answer and answer.err then
    -- It is where it was.
    undo()
    session.stopped_thread_id = session.stopped_thread_id or before
    if known then
      known.stopped = true
    end
    track.stale = nil
    mark.place(track)
    call:fail(answer.err)
  elseif not answer then
    call:fail(command .. " request timed out")
  end
end

--- A session that is paused, and its stopped thread; else the call fails.
---@return mcp_tools.dap.Track
---@return integer thread
local function stopped(call, args)
  local track = sessions.paused(call, args)
  local thread = track.stop and sessions.thread(call, track, args)
  if not thread then
    call:fail(("No stopped thread: the program of debug session %d runs"):format(track.id))
  end
  return track, thread
end

--- A tool that makes one request, after which the program runs.
local function resuming(name, command, message, description)
  return {
    name = name,
    description = description,
    args = wait.with({ thread_id = sessions.thread_arg }),
    run = function(call, args)
      local track, thread = stopped(call, args)
      M.resume(call, track, command, thread)
      return wait.after(call, track, message, args)
    end,
  }
end

--- Has an adapter have the real breakpoints again once the program has stopped anew or ended, or if
--- nobody has it run any more before it did.
---@return fun() restore At once
local function restore_later(call, track, buf)
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
---@return mcp_tools.dap.Answer
local function only_at(call, track, buf, line)
  local all, verdict = require("dap.breakpoints").get(), nil
  all[buf] = {}
  for other in pairs(all) do
    local path = vim.api.nvim_buf_get_name(other)
    local arguments = {
      source = { path = path, name = vim.fs.basename(path) },
      breakpoints = other == buf and { { line = line } } or {},
      lines = other == buf and { line } or {},
      sourceModified = false,
    }
    tracks.own(arguments)
    local answer = calls.ask(call, track, "setBreakpoints", arguments, calls.request_ms)
    verdict = other == buf and answer or verdict
  end
  return verdict
end

local function run_to(call, args)
  local track, thread = stopped(call, args)
  local buf, line = breakpoints.target(call, args)
  local restore = restore_later(call, track, buf)
  local answer = only_at(call, track, buf, line)
  local said = answer.body and answer.body.breakpoints and answer.body.breakpoints[1]
  if not said or said.verified == false and said.message then
    restore()
    local why = answer.err or said and said.message or "the debug adapter has not answered"
    call:fail("Failed to run to cursor: " .. why)
  end
  local ok, err = pcall(M.resume, call, track, "continue", thread)
  if not ok then
    restore()
    error(err, 0)
  end
  return wait.after(call, track, ("Running to %s:%d"):format(args.filename, line), args)
end

local function pause(call, args)
  local track = sessions.find(call, args)
  local thread = args.thread_id
  if not thread then
    local threads = calls.request(call, track, "threads", nil, calls.request_ms).threads or {}
    thread = threads[1] and threads[1].id
  end
  if not thread then
    call:fail("The program has no thread to pause")
  end
  local answer = calls.ask(call, track, "pause", { threadId = thread }, calls.request_ms)
  if answer.err or answer.timeout then
    call:fail(answer.err or "pause request timed out")
  end
  return wait.after(call, track, "Pausing execution", args)
end

M.tools = {
  resuming("dap_continue", "continue", "Continuing execution", "Have the program run on"),
  resuming("dap_step_over", "next", "Stepped over", "Run to the next line of the same function"),
  resuming("dap_step_into", "stepIn", "Stepped into", "Run into the function that is called next"),
  resuming("dap_step_out", "stepOut", "Stepped out", "Run to the end of the function"),
  {
    name = "dap_run_to",
    description = "Have the program run to a line. Other breakpoints do not count until it stops",
    args = wait.with(vim.tbl_extend("error", { thread_id = sessions.thread_arg }, breakpoints.place_args)),
    run = run_to,
  },
  {
    name = "dap_pause",
    description = "Pause the program wherever it is",
    args = wait.with({ thread_id = { type = "number", description = "Thread (default: the first)" } }),
    run = pause,
  },
}

for _, tool in ipairs(M.tools) do
  tool.annotations = { readOnlyHint = false, destructiveHint = true, openWorldHint = true }
end

return M
