--- Calls of tools. A tool may answer at once or later: `execute(cb, args, ctx)` calls
--- `cb(result, err)` once, whenever it likes. What it answered before it returned is the call's
--- result; else the call is pending under a task id, and its outcome is handed to `on_done`. It
--- is kept for get_result() if there is none, or if that returns false.

local current = require("claudecode.current")

local M = {}

--- Calls that may be pending at once, outcomes that nobody fetched among them.
M.max_pending = 1024

--- Reports of progress that one call may have unsent, when the newest takes the last one's place:
--- a tool may report each step of a loop that never waits.
M.max_reports = 16

local tasks = {} ---@type table<string, mcp_tools.Task>
local last_task = 0

local function warn(message)
  require("claudecode.log").tools("warn", "Warning: " .. message)
end

--- Fills in defaults and checks presence; null counts as absent.
---@return table? args
---@return string? err
local function prepare(tool, supplied)
  local args = {}
  for name, value in pairs(supplied) do
    if value ~= vim.NIL then
      args[name] = value
    end
  end
  local names = vim.tbl_keys(tool.args)
  table.sort(names)
  for _, name in ipairs(names) do
    local spec = tool.args[name]
    if args[name] == nil then
      args[name] = vim.deepcopy(spec.default)
    end
    if args[name] == nil and spec.required then
      return nil, "Missing required argument: " .. name
    end
  end
  return args
end

--- How long the caller still waits: less than it said if the call was long on its way.
---@return integer? ms nil without an end
local function remaining_ms(call)
  if not call.expires_unix_ms then
    return call.remaining_ms
  end
  local seconds, microseconds = vim.uv.gettimeofday()
  local left = math.floor(call.expires_unix_ms - seconds * 1000 - microseconds / 1000)
  return math.min(left, call.remaining_ms or left)
end

---@return mcp_tools.Outcome
local function failed(err)
  return { done = true, error = err }
end

--- Takes the outcome of a call that had been answered with `pending`.
local function finish_later(id, task, call, outcome)
  local function finish()
    if tasks[id] ~= task then
      return
    end
    tasks[id] = nil
    if not call.on_done or call.on_done(outcome) == false then
      tasks[id], task.outcome = task, outcome
    end
  end
  -- At once where that is allowed: an editor that is about to exit runs nothing later.
  if vim.in_fast_event() then
    vim.schedule(finish)
  else
    finish()
  end
end

--- Sends progress as soon as the tool lets the editor do so.
local function report(task, call, step)
  if task.reports then
    task.reports[math.min(#task.reports + 1, M.max_reports)] = step
    return
  end
  task.reports = { step }
  vim.schedule(function()
    local steps = task.reports
    task.reports = nil
    for _, one in ipairs(steps) do
      call.on_progress(one.progress, one.total, one.message)
    end
  end)
end

---@return mcp_tools.Context
local function context(task, call, remaining)
  return {
    client = call.client,
    buf = current.buf(),
    remaining_ms = remaining,
    progress = function(progress, total, message)
      if call.on_progress and not task.done and not task.cancelled then
        report(task, call, { progress = progress, total = total, message = message })
      end
    end,
    cancelled = function()
      return task.cancelled
    end,
    on_cancel = function(f)
      if task.cancelled then
        f()
      else
        table.insert(task.on_cancel, f)
      end
    end,
  }
end

--- An error that is a JSON-RPC error object stays one.
local function raised(err)
  if type(err) == "table" and err.code and err.message then
    return err
  end
  return "Tool execution error: " .. (type(err) == "string" and err or vim.inspect(err))
end

--- Runs a tool.
---@param tool mcp_tools.Tool
---@param args table
---@param call mcp_tools.Call
---@return { done: true, result?: any, error?: any }|mcp_tools.Pending
function M.run(tool, args, call)
  local prepared, missing = prepare(tool, args)
  if not prepared then
    return failed(missing)
  end
  local remaining = remaining_ms(call)
  if remaining and remaining <= 0 then
    return failed("The caller of " .. tool.name .. " does not wait any more")
  end
  if M.count() >= M.max_pending then
    return failed("Too many calls are pending")
  end

  last_task = last_task + 1
  local id = tostring(last_task)
  local task = { done = false, cancelled = false, on_cancel = {} } ---@type mcp_tools.Task
  tasks[id] = task
  if call.on_start then
    call.on_start(id)
  end

  local outcome, returned
  local function cb(result, err)
    if task.done then
      return not task.cancelled and warn("callback called multiple times for " .. tool.name)
    end
    task.done = true
    outcome = { done = true, error = err or nil }
    if not err then
      outcome.result = result
    end
    if returned then
      finish_later(id, task, call, outcome)
    end
  end
  local ctx = context(task, call, remaining)
  local ok, err = pcall(tool.execute, cb, prepared, ctx)
  returned = true
  if ok and not outcome and tasks[id] == task then
    return { pending = true, task_id = id, timeout = tool.timeout, coroutine = ctx.coroutine }
  end
  task.done = true
  tasks[id] = nil
  if not ok then
    return failed(raised(err))
  end
  return outcome or failed("The call was cancelled")
end

--- Fetches the outcome of a pending call, once.
---@param id string
---@return mcp_tools.Outcome
function M.get_result(id)
  local task = id and tasks[id]
  if not task then
    return failed("Unknown or expired task: " .. tostring(id))
  end
  if not task.outcome then
    return { done = false }
  end
  tasks[id] = nil
  return task.outcome
end

--- Tells a call that nobody waits for it any more; what it answers later is dropped.
---@param id string
---@return { cancelled: true }
function M.cancel(id)
  local task = id and tasks[id]
  if not task then
    return { cancelled = true }
  end
  tasks[id] = nil
  if not task.done and not task.cancelled then
    task.cancelled = true
    for _, f in ipairs(task.on_cancel) do
      local ok, err = pcall(f)
      if not ok then
        warn("on_cancel: " .. tostring(err))
      end
    end
  end
  return { cancelled = true }
end

---@return integer
function M.count()
  return vim.tbl_count(tasks)
end

--- Forgets every pending call.
function M.clear()
  tasks = {}
end

return M
