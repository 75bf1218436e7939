--- Tools that have a program run on, and pause it.

local breakpoints = require("mcp-tools.tools.dap.breakpoints")
local calls = require("mcp-tools.tools.dap.call")
local mark = require("mcp-tools.tools.dap.mark")
local sending = require("mcp-tools.tools.dap.sending")
local sessions = require("mcp-tools.tools.dap.sessions")
local stops = require("mcp-tools.tools.dap.stops")
local wait = require("mcp-tools.tools.dap.wait")

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
---@param call mcp_tools.WaitingCall
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
  local undo = stops.resuming(track, arguments)
  local before = session.stopped_thread_id
  running(track, thread)
  local function moved()
    return (track.stop or track.over) and { body = {} } or nil
  end
  local answer = calls.exchange(call, calls.limit(call, calls.request_ms, calls.request_ms), function(answer)
    session:request(command, arguments, answer)
  end, moved)
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

local function run_to(call, args)
  local track, thread = stopped(call, args)
  local buf, line = breakpoints.target(call, args)
  local restore = sending.restore_later(call, track, buf)
  local answer = sending.only_at(call, track, buf, line)
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
