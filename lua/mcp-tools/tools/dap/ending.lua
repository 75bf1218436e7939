--- Tools that end debug sessions.

local calls = require("mcp-tools.tools.dap.call")
local sessions = require("mcp-tools.tools.dap.sessions")
local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

--- How long an adapter may take to end a session, before it is closed.
M.end_ms = 5000

local function closed(track)
  return function()
    return track.closed or nil
  end
end

--- Ends a session: the adapter is asked to, then the session is closed.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param terminate boolean Whether the program ends too
---@return string? err
function M.finish(call, track, terminate)
  local session = track.session
  local can = (session.capabilities or {}).supportsTerminateRequest
  if terminate and can and can ~= vim.NIL then
    local answer = calls.ask(call, track, "terminate", vim.empty_dict(), M.end_ms)
    if not answer.err and not answer.timeout and calls.await(call, closed(track), { ms = M.end_ms }) then
      return nil
    end
  end
  if track.closed then
    return nil
  end
  local answer = calls.exchange(call, M.end_ms, function(answer)
    session:disconnect({ terminateDebuggee = terminate }, answer)
  end)
  if not session.closed then
    pcall(session.close, session)
  end
  return answer and answer.err or nil
end

--- Ends a session with those that it started. Most adapters end these themselves.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@return string? err
function M.finish_family(call, track)
  local err = M.finish(call, track, true)
  for _, member in ipairs(tracks.all()) do
    if member ~= track and not member.closed and tracks.is_within(member, track.id) then
      M.finish(call, member, true)
    end
  end
  return err
end

local function terminate(call, args)
  local track = sessions.find(call, args)
  track = args.session and track or sessions.root(track)
  local err = M.finish_family(call, track)
  if err and not track.session.closed then
    call:fail("Failed to terminate session: " .. err)
  end
  return { success = true, message = "Debug session terminated", session = track.id, note = err }
end

local function disconnect(call, args)
  local track = sessions.find(call, args)
  local err = M.finish(call, track, args.terminate_debuggee)
  if err and not track.session.closed then
    call:fail("Failed to disconnect: " .. err)
  end
  return { success = true, message = "Disconnected from debug adapter", session = track.id, note = err }
end

M.tools = {
  {
    name = "dap_terminate",
    description = "End the debug session and its program",
    args = { session = sessions.arg },
    run = terminate,
  },
  {
    name = "dap_disconnect",
    description = "Leave the debug adapter; the program ends too, unless terminate_debuggee is false",
    args = {
      session = sessions.arg,
      terminate_debuggee = { type = "boolean", description = "Whether the program ends too", default = true },
    },
    run = disconnect,
  },
}

for _, tool in ipairs(M.tools) do
  tool.annotations = { readOnlyHint = false, destructiveHint = true, openWorldHint = true }
end

return M
