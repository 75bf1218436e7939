--- What is undone together: functions, in the order in which what they undo was done.

local strict = require("claudecode.strict")

local M = {}

--- Undoes all, the last first. What one raises keeps none of the others.
---@param undo fun()[] Empty afterwards
function M.run(undo)
  for i = #undo, 1, -1 do
    local step = undo[i]
    undo[i] = nil
    strict.try(step)
  end
end

--- Calls f; if it raises, all is undone, and the error is raised.
---@generic T
---@param undo fun()[] To which f adds
---@param f fun(): T
---@return T
function M.guard(undo, f)
  local ok, result = pcall(f)
  if not ok then
    M.run(undo)
    error(result, 0)
  end
  return result
end

return M
