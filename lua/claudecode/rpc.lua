--- What the daemon tells and asks this editor: one function for each message of PROTOCOL.md.

local daemon = require("claudecode.daemon")
local log = require("claudecode.log")
local registry = require("mcp-tools.registry")
local server = require("claudecode.server")
local values = require("mcp-tools.values")

local M = {}

local handlers = {}
local tasks = {} ---@type table<integer, string> the registry's task of each call in flight

handlers.attached = server.attach
handlers.ready = daemon.on_ready
handlers.failed = daemon.on_failed
handlers.client_opened = server.on_client_opened
handlers.client_closed = server.on_client_closed
handlers.written = server.on_written

--- Makes an outcome fit for the wire: what has no JSON form becomes an error.
---@param outcome { result?: any, error?: any }
local function crossing(outcome)
  local err = outcome.error
  if err == nil then
    local problem = values.problem(outcome.result, "result")
    if not problem then
      return { result = outcome.result == nil and vim.NIL or outcome.result }
    end
    err = problem
  elseif type(err) == "table" and type(err.message) == "string" then
    local data = values.problem(err.data, "data") and vim.inspect(err.data) or err.data
    err = { code = tonumber(err.code) or -32000, message = err.message, data = data }
  elseif type(err) ~= "string" then
    err = vim.inspect(err)
  end
  return { error = err }
end

---@param token integer
---@param name string
---@param arguments string JSON text of an object
---@param call { client?: string, remaining_ms?: integer, expires_unix_ms?: integer }
function handlers.call(token, name, arguments, call)
  local ok, args = pcall(vim.json.decode, arguments, { luanil = { object = true, array = true } })
  if not ok or type(args) ~= "table" then
    return { done = true, error = { code = -32602, message = "Invalid params", data = "arguments must be an object" } }
  end
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
      daemon.notify("tool_done", vim.tbl_extend("error", { token = token }, crossing(late)))
    end,
  })
  if outcome.pending then
    return { pending = true, task_id = outcome.task_id }
  end
  tasks[token] = nil
  return vim.tbl_extend("error", { done = true }, crossing(outcome))
end

---@param token integer
function handlers.cancel(token)
  local task_id = tasks[token]
  tasks[token] = nil
  if task_id then
    registry.cancel_task(task_id)
  end
end

--- The daemon is gone, and with it everybody who waited for a call.
function M.cancel_all()
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
