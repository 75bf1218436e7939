--- Long work in short pieces, between which the editor serves its user.

local M = {}

--- How long a piece may take, and the pause after it. Milliseconds. A scheduled callback would not
--- let input come between.
M.piece_ms, M.pause_ms = 1, 1

--- How much garbage is collected after each piece at most, and in one go, after which the time is looked
--- at. Text that is read line by line leaves so many strings that Lua would else have to enlarge its table
--- of them, for which the editor waits.
local garbage_kb, step_kb = 200, 10

local begun = 0 -- when the piece that runs began, in nanoseconds

--- How each piece of work that is under way pauses.
local pauses = setmetatable({}, { __mode = "k" }) ---@type table<thread, fun(now?: boolean): boolean>

--- Whether the piece that runs has taken its time.
local function is_over()
  return (vim.uv.hrtime() - begun) / 1e6 >= M.piece_ms
end

--- Collects garbage for as long as a piece may take.
local function collect()
  local stop = vim.uv.hrtime() + M.piece_ms * 1e6
  for _ = step_kb, garbage_kb, step_kb do
    if collectgarbage("step", step_kb) or vim.uv.hrtime() >= stop then
      break
    end
  end
end

local function yield(now)
  if not now and not is_over() then
    return false
  end
  coroutine.yield()
  return true
end

local function pause_of_this()
  local co = coroutine.running()
  return co and pauses[co]
end

--- Whether the work that runs can pause. Else it is done in one go.
---@return boolean
function M.can_pause()
  return pause_of_this() ~= nil
end

--- Ends the piece that runs, if it has taken its time. What the work knows of buffers and windows may
--- be wrong afterwards.
---@param now? boolean Whatever time it has taken
---@return boolean paused
function M.pause(now)
  local pause = pause_of_this()
  return pause ~= nil and pause(now)
end

--- Has the work in a coroutine that somebody else resumes pause their way.
---@param co thread
---@param pause fun(now?: boolean): boolean
function M.adopt(co, pause)
  pauses[co] = pause
end

--- Does work that calls pause() often.
---@param work fun()
---@param wanted fun(): boolean Asked after each pause; once it is false, the work ends there
---@param failed fun(err: string) What the work raised
function M.run(work, wanted, failed)
  local co = coroutine.create(work)
  M.adopt(co, yield)
  local function go_on()
    if not wanted() then
      return
    end
    begun = vim.uv.hrtime()
    local ok, err = coroutine.resume(co)
    if not ok then
      failed(require("claudecode.strict").reason(err))
    elseif coroutine.status(co) ~= "dead" then
      -- Not in the turn of the piece: one step of the collector can take longer than all of it.
      vim.defer_fn(function()
        collect()
        vim.defer_fn(go_on, M.pause_ms)
      end, M.pause_ms)
    end
  end
  go_on()
end

--- Does a part of the work to its end, even if the rest is not wanted any more.
---@generic T
---@param part fun(): T
---@return T
function M.to_end(part)
  if not M.can_pause() then
    return part()
  end
  local ok, result
  local function always()
    return true
  end
  M.run(function()
    ok, result = pcall(part)
  end, always, error)
  while ok == nil do
    M.pause(true)
  end
  if not ok then
    error(result, 0)
  end
  return result
end

return M
