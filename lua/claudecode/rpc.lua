--- What the daemon tells and asks this editor: one function for each message of PROTOCOL.md.

local activity = require("claudecode.activity")
local daemon = require("claudecode.daemon")
local log = require("claudecode.log")
local moment = require("claudecode.moment")
local registry = require("mcp-tools.registry")
local server = require("claudecode.server")

local M = {}

local handlers = {}
---See PROTOCOL.md, `call`.
---@class (exact) claudecode.RemoteCall
---@field client? string
---@field remaining_ms? integer
---@field expires_unix_ms? integer
---@field sent_unix_ms? integer
---@field paths? string[] What it stood for when it was allowed

local tasks = {} ---@type table<integer, string> the registry's task of each call in flight
local delayed = {} ---@type table<integer, fun()> what gives up each call that has yet to run

--- How long a call is on its way at most to an editor that is not blocked.
local prompt_ms = 100

handlers.attached = server.attach
handlers.failed = daemon.on_failed
handlers.locked = daemon.on_locked
handlers.client_opened = server.on_client_opened
handlers.client_ready = server.on_client_ready
handlers.client_closed = server.on_client_closed
handlers.written = server.on_written

function handlers.report(id, report)
  require("claudecode.inquiry").on_report(id, report)
end

local function fit(outcome)
  return require("mcp-tools.outcome").fit(outcome)
end

local function tell_done(token, outcome)
  activity.ended(token)
  daemon.notify("tool_done", vim.tbl_extend("error", { token = token }, fit(outcome)))
end

--- Runs a tool.
---@return mcp_tools.Outcome|{ pending: true, task_id: string }
local function execute(token, name, args, call)
  local moved = call.paths and require("mcp-tools.permissions.paths").moved(name, args, call.paths)
  if moved then
    return { done = true, error = moved }
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
      tell_done(token, late)
    end,
  })
  if not outcome.pending then
    tasks[token] = nil
  end
  return outcome
end

local function unix_ms()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds * 1000 + microseconds / 1000
end

--- Waits until the messages that came behind the call were handled.
---@param f fun()
---@return fun() cancel
local function next_turn(f)
  local cancelled = false
  vim.schedule(function()
    if not cancelled then
      f()
    end
  end)
  return function()
    cancelled = true
  end
end

--- Waits until windows may open, and keeps the daemon informed of what that takes.
---@return fun(f: fun()): fun() wait
local function safe_moment(token, name)
  return function(f)
    local waited = false
    return moment.run(function()
      if waited then
        daemon.notify("tool_waiting", { token = token, reason = "" })
      end
      f()
    end, {
      name = name,
      on_wait = function(reason)
        waited = true
        daemon.notify("tool_waiting", { token = token, reason = reason })
      end,
    })
  end
end

--- Runs a tool once a wait is over.
---@param wait fun(f: fun()): fun()
---@return { pending: true }
local function execute_later(wait, token, name, args, call)
  delayed[token] = wait(function()
    delayed[token] = nil
    local outcome = execute(token, name, args, call)
    if not outcome.pending then
      tell_done(token, outcome)
    end
  end)
  return { pending = true }
end

local function run_call(token, name, arguments, call)
  local ok, args = pcall(vim.json.decode, arguments, { luanil = { object = true, array = true } })
  if not ok or type(args) ~= "table" then
    return { done = true, error = { code = -32602, message = "Invalid params", data = "arguments must be an object" } }
  end
  require("claudecode.auto_mode").observe(name, args)
  if registry.opens_ui(name) then
    return execute_later(safe_moment(token, name), token, name, args, call)
  elseif call.sent_unix_ms and unix_ms() - call.sent_unix_ms > prompt_ms then
    -- It waited for a blocked editor. Its cancellation may be in the pipe by now.
    return execute_later(next_turn, token, name, args, call)
  end
  local outcome = execute(token, name, args, call)
  if outcome.pending then
    return { pending = true, task_id = outcome.task_id }
  end
  return vim.tbl_extend("error", { done = true }, fit(outcome))
end

--- Says which files a call stands for.
---@param name string
---@param arguments string JSON text of an object
---@return { paths?: string[], error?: string }
function handlers.paths(_, name, arguments)
  local ok, args = pcall(vim.json.decode, arguments, { luanil = { object = true, array = true } })
  if not ok or type(args) ~= "table" then
    return { error = "arguments must be an object" }
  end
  local paths, err = require("mcp-tools.permissions.paths").of(name, args)
  return { paths = paths, error = err }
end

function handlers.ask(question)
  require("mcp-tools.permissions.ask").on_ask(question)
end

function handlers.ask_withdrawn(token)
  require("mcp-tools.permissions.ask").on_withdrawn(token)
end

function handlers.turns_changed(news)
  require("claudecode.turns.latest").on_changed(news)
end

for _, question in ipairs({ "turns", "turn", "turn_file", "put" }) do
  handlers[question] = function(id, answer)
    require("claudecode.turns.ask").on_answer(id, answer)
  end
end

function handlers.activity(id, activity_report)
  require("claudecode.activity_view").on_activity(id, activity_report)
end

---@param token integer
---@param name string
---@param arguments string JSON text of an object
---@param call claudecode.RemoteCall
function handlers.call(token, name, arguments, call)
  local answer = run_call(token, name, arguments, call)
  if answer.pending then
    activity.began(token, name)
  end
  return answer
end

---@param token integer
function handlers.cancel(token)
  activity.ended(token)
  local task_id, give_up = tasks[token], delayed[token]
  tasks[token], delayed[token] = nil, nil
  if give_up then
    give_up()
  elseif task_id then
    registry.cancel_task(task_id)
  end
end

---@param ready claudecode.Ready
function handlers.ready(ready)
  moment.set_serving(true)
  daemon.on_ready(ready)
end

--- The daemon is gone, and with it everybody who waited for a call.
function M.cancel_all()
  moment.set_serving(false)
  local ask = package.loaded["mcp-tools.permissions.ask"]
  if ask then
    ask.withdraw_all()
  end
  for _, name in ipairs({ "ask", "latest" }) do
    local module = package.loaded["claudecode.turns." .. name]
    if module then
      module.on_gone()
    end
  end
  for _, calls in ipairs({ delayed, tasks }) do
    for token in pairs(calls) do
      handlers.cancel(token)
    end
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
