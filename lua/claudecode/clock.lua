--- The time that the selection, mentions, reviews and safe moments go by. Tests put their own
--- `now` and `after` here, so none of them may look at another clock or keep another timer.

local M = {}

--- Milliseconds, from any moment on. The loop's own time stands still while Lua runs, this one
--- does not.
---@return integer
function M.now()
  return math.floor(vim.uv.hrtime() / 1e6)
end

--- Calls a function once, on the main loop. Once it is cancelled it is never called, not even if
--- the timer had run out and the call was waiting for its turn.
---@param ms number
---@param callback fun()
---@return fun() cancel
function M.after(ms, callback)
  local timer, cancelled = assert(vim.uv.new_timer()), false
  local function cancel()
    cancelled = true
    if not timer:is_closing() then
      timer:close()
    end
  end
  timer:start(
    math.max(math.ceil(ms), 0),
    0,
    vim.schedule_wrap(function()
      if not cancelled then
        cancel()
        callback()
      end
    end)
  )
  return cancel
end

---@class claudecode.OneShot
---@field start fun(ms: number) Runs the callback after so long, in place of when it was to run
---@field stop fun()

--- A timer that is started again and again before it runs out. Starting it later than it is due
--- costs no system call: it then finds out that it is too early.
---@param callback fun()
---@return claudecode.OneShot
function M.one_shot(callback)
  local due, cancel, wakes
  local function stop()
    if cancel then
      cancel()
    end
    due, cancel = nil, nil
  end
  local function arm()
    wakes = due
    cancel = M.after(due - M.now(), function()
      cancel = nil
      if M.now() < due then
        return arm()
      end
      due = nil
      callback()
    end)
  end
  return {
    stop = stop,
    start = function(ms)
      local at = M.now() + ms
      if cancel and wakes > at then
        stop()
      end
      due = at
      if not cancel then
        arm()
      end
    end,
  }
end

return M
