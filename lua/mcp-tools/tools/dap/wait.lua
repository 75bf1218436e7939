--- Waiting until a program is paused, and what a client is told then.

local calls = require("mcp-tools.tools.dap.call")
local mark = require("mcp-tools.tools.dap.mark")
local place = require("mcp-tools.tools.dap.place")
local sessions = require("mcp-tools.tools.dap.sessions")
local show = require("mcp-tools.show")
local stops = require("mcp-tools.tools.dap.stops")
local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

--- How long a program may run until it pauses if the client does not say; and how long the adapter
--- may take to say where it paused.
M.default_ms, M.location_ms = 30000, 2000

--- How long the user may type before they are taken anywhere.
M.show_ms = 30000

--- The arguments of tools that have a program run.
---@type table<string, mcp_tools.Arg>
M.args = {
  wait_until_paused = { type = "boolean", description = "Answer once the program has paused again", default = false },
  wait_timeout_ms = {
    type = "number",
    description = "How long to wait for that, in milliseconds",
    default = M.default_ms,
    min = 0,
  },
  show = { type = "boolean", description = "Take the user to where it pauses, once they do not type", default = false },
}

--- The arguments of tools that pause a program or have it run.
---@param more table<string, mcp_tools.Arg>
---@return table<string, mcp_tools.Arg>
function M.with(more)
  return vim.tbl_extend("error", M.args, { session = sessions.arg }, more)
end

--- Takes the user to where a program paused.
local function bring(call, at)
  local buf, err = show.load(call.name, at.file)
  if not buf then
    return call:note("Not shown: " .. err)
  end
  M.show(call, buf, at.line, at.column)
end

--- Takes the user to a place once they do not type, which is not waited for longer than M.show_ms.
---@param call mcp_tools.WaitingCall
---@param buf integer
---@param line integer
---@param column? integer
function M.show(call, buf, line, column)
  local ms, cancel = calls.limit(call, M.show_ms, M.show_ms), nil
  local function begin(finish)
    local ok, problem = pcall(function()
      cancel = show.when_safe(call.name, buf, line, column, function(err)
        finish({ err = err })
      end)
      call:on_stop(cancel)
    end)
    if not ok then
      finish({ err = tostring(problem) })
    end
  end
  local shown = calls.await(call, function()
    return nil
  end, { ms = ms, begin = begin, message = "It waits until the user does not type" })
  if not shown then
    cancel()
    call:note("Not shown: the user was busy")
  elseif shown.err then
    call:note("Not shown: " .. shown.err)
  end
end

--- What an adapter says of an exception at which a thread stopped.
local function exception(call, track, thread)
  local can = (track.session.capabilities or {}).supportsExceptionInfoRequest
  if not thread or track.stop.reason ~= "exception" or not can or can == vim.NIL then
    return nil
  end
  local answer = calls.ask(call, track, "exceptionInfo", { threadId = thread }, M.location_ms)
  return answer.body and (answer.body.description or answer.body.exceptionId) or nil
end

local function described(call, stop, told, at)
  local text = { "Debugger paused due to: " .. stop.reason }
  if told and told ~= stop.reason then
    table.insert(text, "Description: " .. told)
  end
  if at then
    table.insert(text, ("Location: %s:%d in %s"):format(at.file, at.line, at.function_name))
    table.insert(text, place.context(call, at, place.context_arg.default))
  end
  table.insert(text, "Status: " .. (at and ("Stopped at line %d"):format(at.line) or "Stopped"))
  return table.concat(text, "\n")
end

---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track That is paused
---@param shown? boolean
local function report(call, track, shown)
  local stop = track.stop
  local thread = sessions.thread(call, track, {})
  local frame, frames = place.top(call, track, thread, calls.limit(call, M.location_ms, M.location_ms))
  if track.stop == stop then
    mark.adopt(track, thread, frame, frames)
  end
  local at = frame and place.location(frame)
  local told = track.stop and exception(call, track, thread) or stop.text
  if shown and at then
    bring(call, at)
  end
  mark.place(track)
  return {
    text = described(call, stop, told, at),
    session = track.id,
    reason = stop.reason,
    description = told,
    thread_id = thread,
    location = at,
  }
end

--- Waits until a session, or one that it started, is paused; one that is already answers at once. If
--- it ends or takes too long, the call fails.
---@param call mcp_tools.WaitingCall
---@param target mcp_tools.dap.Track
---@param args { ms?: number, show?: boolean }
---@return table paused text, session, reason, description, thread_id, location
function M.paused(call, target, args)
  local ms = calls.limit(call, args.ms, M.default_ms)
  local function test()
    if target.stop then
      return target
    end
    for _, track in ipairs(tracks.all()) do
      if track.stop and tracks.is_within(track, target.id) then
        return track
      end
    end
    return target.over and { over = target.over } or nil
  end
  local forget = call:on_stop(function()
    stops.recall(target)
  end)
  local track = calls.await(call, test, { ms = ms, message = "The program runs" })
  forget()
  if not track then
    stops.recall(target)
    call:fail(("Timeout after %dms waiting for debugger to pause"):format(ms))
  elseif not track.id then
    call:fail("Debug session ended while waiting: " .. track.over)
  end
  return report(call, track, args.show)
end

--- The result of a tool that has had a program run.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param message string
---@param args table Of the tool
function M.after(call, track, message, args)
  local result = { success = true, message = message, session = track.id }
  if args.wait_until_paused or args.show then
    local paused = M.paused(call, track, { ms = args.wait_timeout_ms, show = args.show })
    result.wait_result, paused.text = paused.text, nil
    result = vim.tbl_extend("force", result, paused)
  else
    stops.recall(track)
  end
  return result
end

M.tools = {
  {
    name = "dap_wait_until_paused",
    description = "Wait until the program that is debugged pauses: at a breakpoint, after a step, for an exception."
      .. " If it is paused already, this answers at once with where",
    args = {
      timeout_ms = M.args.wait_timeout_ms,
      check_interval_ms = { type = "number", description = "Has no effect: nothing is polled", default = 100 },
      session = sessions.arg,
      show = M.args.show,
    },
    annotations = { title = "Wait until the program pauses", readOnlyHint = true, openWorldHint = false },
    run = function(call, args)
      local track = sessions.paused(call, args)
      if not args.session and not track.stop then
        track = sessions.root(track)
      end
      local paused = M.paused(call, track, { ms = args.timeout_ms, show = args.show })
      local result = { success = true, result = paused.text }
      paused.text = nil
      return vim.tbl_extend("force", result, paused)
    end,
  },
}

return M
