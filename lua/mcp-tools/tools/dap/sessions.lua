--- Which debug session a call is about.

local calls = require("mcp-tools.tools.dap.call")
local present = require("mcp-tools.tools.dap.present")
local tracks = require("mcp-tools.tools.dap.tracks")
local watch = require("mcp-tools.tools.dap.watch")

local M = {}

M.arg = { type = "number", description = "Id of a debug session, see dap_status (default: the focused one)" }

M.thread_arg = { type = "number", description = "Thread (default: the one that is stopped)" }

--- nvim-dap, watched.
---@param call mcp_tools.WaitingCall
function M.dap(call)
  local ok, dap = pcall(require, "dap")
  local package = not ok and present.package()
  if package then
    ok, dap = pcall(function()
      vim.cmd.packadd(package)
      return require("dap")
    end)
  end
  if not ok then
    call:fail("nvim-dap cannot be loaded: " .. require("claudecode.strict").reason(dap))
  end
  local lacking = present.lacks(dap)
  if lacking then
    call:fail(lacking)
  end
  watch.install(dap)
  return dap
end

--- Every session that is open, those that others started too.
---@param call mcp_tools.WaitingCall
---@return mcp_tools.dap.Track[]
function M.open(call)
  local function see(sessions)
    for _, session in pairs(sessions or {}) do
      tracks.of(session)
      see(session.children)
    end
  end
  see(M.dap(call).sessions())
  return vim.tbl_filter(function(track)
    return not tracks.of(track.session).closed
  end, tracks.all())
end

--- The session that the user sees. nvim-dap goes on with one that ended if another had started it.
---@param call mcp_tools.WaitingCall
---@return mcp_tools.dap.Track?
function M.focused(call)
  local session = M.dap(call).session()
  if session and not session.closed then
    return tracks.of(session)
  end
  local open = M.open(call)
  return open[#open]
end

--- The session that the arguments name, else the focused one.
---@param call mcp_tools.WaitingCall
---@param args { session?: integer }
---@return mcp_tools.dap.Track
function M.find(call, args)
  if not args.session then
    return M.focused(call) or call:fail("No active debug session")
  end
  for _, track in ipairs(M.open(call)) do
    if track.id == args.session then
      return track
    end
  end
  call:fail(("There is no open debug session %s"):format(tostring(args.session)))
end

--- A session that is paused: the one that the arguments name, else the focused one or any.
---@param call mcp_tools.WaitingCall
---@param args { session?: integer }
---@return mcp_tools.dap.Track
function M.paused(call, args)
  local track = M.find(call, args)
  if track.stop or args.session then
    return track
  end
  return vim.iter(M.open(call)):find(function(other)
    return other.stop ~= nil
  end) or track
end

--- The session that started this one, or that one's.
---@param track mcp_tools.dap.Track
---@return mcp_tools.dap.Track
function M.root(track)
  local session = track.session
  while session.parent do
    session = session.parent
  end
  return tracks.of(session)
end

--- The stopped thread, if it is known which: the user's choice since it stopped, else the one that did.
---@param track mcp_tools.dap.Track
---@return integer?
function M.known_thread(track)
  local stop, chosen = track.stop, track.session.stopped_thread_id
  if not stop then
    return nil
  end
  return chosen ~= stop.before and chosen or stop.thread_id or chosen
end

--- The thread that the arguments name, else the stopped one. An adapter that has paused all need not say
--- which: it is the first then.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param args { thread_id?: integer }
---@return integer?
function M.thread(call, track, args)
  local thread = args.thread_id or M.known_thread(track)
  if thread or not track.stop then
    return thread
  end
  local answer = calls.ask(call, track, "threads", nil, calls.limit(call, calls.request_ms, calls.request_ms))
  local first = answer.body and answer.body.threads and answer.body.threads[1]
  return first and first.id
end

--- Fails unless the adapter has a capability.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param name string
---@param what string What it cannot do
function M.require(call, track, name, what)
  local has = (track.session.capabilities or {})[name]
  if not has or has == vim.NIL then
    call:fail(("The debug adapter %s does not support %s"):format(track.adapter_type, what))
  end
end

return M
