--- The calls of tools that the daemon hands to this editor; see PROTOCOL.md, `call`.

local activity = require("claudecode.activity")
local auto_mode = require("claudecode.auto_mode")
local daemon = require("claudecode.daemon")
local fit = require("mcp-tools.outcome").fit
local moment = require("claudecode.moment")
local registry = require("mcp-tools.registry")

local M = {}

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
  auto_mode.observe(name, args)
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

---@param token integer
---@param name string
---@param arguments string JSON text of an object
---@param call claudecode.RemoteCall
function M.run(token, name, arguments, call)
  local answer = run_call(token, name, arguments, call)
  if answer.pending then
    activity.began(token, name)
  end
  return answer
end

--- Nobody waits for a call any more.
---@param token integer
function M.cancel(token)
  activity.ended(token)
  local task_id, give_up = tasks[token], delayed[token]
  tasks[token], delayed[token] = nil, nil
  if give_up then
    give_up()
  elseif task_id then
    registry.cancel_task(task_id)
  end
end

--- Nobody waits for any call any more.
function M.cancel_all()
  for _, calls in ipairs({ delayed, tasks }) do
    for token in pairs(calls) do
      M.cancel(token)
    end
  end
end

return M
