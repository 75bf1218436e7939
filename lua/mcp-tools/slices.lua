--- Long work in short pieces, between which the editor serves its user.

local M = {}

--- How long a piece may take, and the pause after it. Milliseconds. A scheduled callback would not
--- let input come between.
M.piece_ms, M.pause_ms = 1, 1

--- How much garbage is collected after each piece. Text that is read line by line leaves so many strings
--- that Lua would else have to enlarge its table of them, for which the editor waits.
local garbage_kb = 200

local begun = 0 -- when the piece that runs began, in nanoseconds

--- Whether the piece that runs has taken its time.
local function is_over()
  return (vim.uv.hrtime() - begun) / 1e6 >= M.piece_ms
end

--- Ends the piece that runs, if it has taken its time. What the work knows of buffers and windows may
--- be wrong afterwards.
---@return boolean paused
function M.pause()
  if not is_over() then
    return false
  end
  coroutine.yield()
  return true
end

--- Does work that calls pause() often.
---@param work fun()
---@param wanted fun(): boolean Asked after each pause; once it is false, the work ends there
---@param failed fun(err: string) What the work raised
function M.run(work, wanted, failed)
  local co = coroutine.create(work)
  local function go_on()
    if not wanted() then
      return
    end
    begun = vim.uv.hrtime()
    local ok, err = coroutine.resume(co)
    if not ok then
      failed(require("claudecode.strict").reason(err))
    elseif coroutine.status(co) ~= "dead" then
      collectgarbage("step", garbage_kb)
      vim.defer_fn(go_on, M.pause_ms)
    end
  end
  go_on()
end

return M
