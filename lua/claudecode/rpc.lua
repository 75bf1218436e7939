--- What the daemon tells and asks this editor: one function for each message of PROTOCOL.md.

local daemon = require("claudecode.daemon")
local fit = require("mcp-tools.outcome").fit
local log = require("claudecode.log")
local registry = require("mcp-tools.registry")
local server = require("claudecode.server")

local M = {}

local handlers = {}
local tasks = {} ---@type table<integer, string> the registry's task of each call in flight
local delayed = {} ---@type table<integer, true> calls that have yet to run

--- How long a call is on its way at most to an editor that is not blocked.
local prompt_ms = 100

handlers.attached = server.attach
handlers.ready = daemon.on_ready
handlers.failed = daemon.on_failed
handlers.client_opened = server.on_client_opened
handlers.client_closed = server.on_client_closed
handlers.written = server.on_written

local function tell_done(token, outcome)
  daemon.notify("tool_done", vim.tbl_extend("error", { token = token }, fit(outcome)))
end

--- Runs a tool.
---@return mcp_tools.Outcome|{ pending: true, task_id: string }
local function execute(token, name, args, call)
  local outcome = registry.execute(name, args, {
    client = call.client,
    remaining_ms = call.remaining_ms,
    expires_unix_ms = call.expires_unix_ms,
    on_start = function(task_id)
      tasks[token] = task_id
    end,
    on_progress = function(progress, total, message)
      daemon.notify("tool_progress", { token = token, progress = progress, total = total, message = message })
    end,
    on_done = function(late)
      tasks[token] = nil
      tell_done(token, late)
    end,
  })
  if not outcome.pending then
    tasks[token] = nil
  end
  return outcome
end

--- Runs a tool once the messages that wait behind the call were handled.
local function execute_later(token, name, args, call)
  delayed[token] = true
  vim.schedule(function()
    if not delayed[token] then
      return
    end
    delayed[token] = nil
    local outcome = execute(token, name, args, call)
    if not outcome.pending then
      tell_done(token, outcome)
    end
  end)
end

local function unix_ms()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds * 1000 + microseconds / 1000
end

---@param token integer
---@param name string
---@param arguments string JSON text of an object
---@param call { client?: string, remaining_ms?: integer, expires_unix_ms?: integer, sent_unix_ms?: integer }
function handlers.call(token, name, arguments, call)
  local ok, args = pcall(vim.json.decode, arguments, { luanil = { object = true, array = true } })
  if not ok or type(args) ~= "table" then
    return { done = true, error = { code = -32602, message = "Invalid params", data = "arguments must be an object" } }
  end
  if call.sent_unix_ms and unix_ms() - call.sent_unix_ms > prompt_ms then
    -- It waited for a blocked editor. Its cancellation may be in the pipe by now.
    execute_later(token, name, args, call)
    return { pending = true }
  end
  local outcome = execute(token, name, args, call)
  if outcome.pending then
    return { pending = true, task_id = outcome.task_id }
  end
  return vim.tbl_extend("error", { done = true }, fit(outcome))
end

---@param token integer
function handlers.cancel(token)
  local task_id = tasks[token]
  tasks[token], delayed[token] = nil, nil
  if task_id then
    registry.cancel_task(task_id)
  end
end

--- The daemon is gone, and with it everybody who waited for a call.
function M.cancel_all()
  delayed = {}
  for token in pairs(tasks) do
    handlers.cancel(token)
  end
end

---@param level "error"|"warn"|"info"
---@param message string
function handlers.log(level, message)
  local write = ({ error = log.error, warn = log.warn, info = log.info })[level] or log.warn
  write("daemon", message)
end

--- Runs one message. The daemon calls it through nvim_exec_lua.
---@param name string
---@param ... any
---@return any
function M.handle(name, ...)
  local handler = handlers[name]
  if not handler then
    error(("claudecode: unknown message %q"):format(name), 0)
  end
  return handler(...)
end

return M
