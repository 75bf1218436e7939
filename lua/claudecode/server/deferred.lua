--- Answers that come after their call returned. Each is kept as a function under
--- `tostring(coroutine)` in a global, so that a tool finds it whichever modules were reloaded.

local M = {}

--- The answers, also if somebody took the global away.
---@return table<string, fun(result: any)>
local function answers()
  _G.claude_deferred_responses = _G.claude_deferred_responses or {}
  return _G.claude_deferred_responses
end

answers()

--- What a deferred answer is: a result with `content`, or an `error`.
---@param result any
---@return table? result
---@return any err
function M.read(result)
  if type(result) == "table" and result.content then
    return result
  elseif type(result) == "table" and result.error ~= nil then
    return nil, result.error
  end
  return nil, require("mcp-tools.outcome").internal_error("Deferred response completed with unexpected format")
end

--- Forgets the answer under a key, if it is still that one.
local function remove(key, answer)
  if answers()[key] == answer then
    answers()[key] = nil
  end
end

--- Keeps an answer until it is given, once, or forgotten.
---@param co thread
---@param respond fun(result: any) Takes what the answer is called with
---@return fun() forget
function M.keep(co, respond)
  local key = tostring(co)
  local answered = false
  local function answer(result)
    if not answered then
      answered = true
      remove(key, answer)
      respond(result)
    end
  end
  answers()[key] = answer
  return function()
    answered = true
    remove(key, answer)
  end
end

--- Gives an answer that somebody waits for.
---@param co thread
---@param result any
---@return boolean given
function M.give(co, result)
  local answer = answers()[tostring(co)]
  if answer then
    answer(result)
  end
  return answer ~= nil
end

--- Forgets every answer.
function M.reset()
  _G.claude_deferred_responses = {}
end

return M
