--- Questions to the user, by |vim.ui.select()| and |vim.ui.input()|: asked in a safe moment, answered
--- once, and taken back when nobody waits for the answer any more.

local M = {}

---@param name string What waits for a safe moment
---@param show fun(answer: fun(...)) Shows the question
---@param done fun(...) Called once, without a value if the user gave no answer
---@return fun() cancel After it done is not called
local function ask(name, show, done)
  local over = false
  local function answer(...)
    if not over then
      over = true
      done(...)
    end
  end
  local stop_waiting = require("claudecode.moment").run(function()
    local ok, err = pcall(show, answer)
    if not ok then
      -- CTRL-C, or an interface that fails: no answer either way.
      if not tostring(err):find("[Ii]nterrupt") then
        require("claudecode.log").warn(name, require("claudecode.strict").reason(err))
      end
      answer()
    end
  end, { name = name })
  return function()
    over = true
    stop_waiting()
  end
end

--- Lets the user choose.
---@generic T
---@param name string What waits for a safe moment
---@param items T[]
---@param options table As of vim.ui.select
---@param done fun(item: T?, index: integer?)
---@return fun() cancel
function M.select(name, items, options, done)
  return ask(name, function(answer)
    vim.ui.select(items, options, answer)
  end, done)
end

--- Lets the user write a line.
---@param name string
---@param options table As of vim.ui.input
---@param done fun(text: string?)
---@return fun() cancel
function M.input(name, options, done)
  return ask(name, function(answer)
    vim.ui.input(options, answer)
  end, done)
end

return M
