--- Questions to the user, of whom the editor's thread never waits: asked in a safe moment, answered
--- once, and taken away when nobody waits for the answer any more.

local M = {}

---@param name string What waits for a safe moment
---@param show fun(answer: fun(...)): fun()? Shows the question, and returns what takes it away
---@param done fun(...) Called once, without a value if the user gave no answer
---@return fun() cancel After it done is not called
local function ask(name, show, done)
  local over, close = false, nil ---@type boolean, fun()?
  local function answer(...)
    if not over then
      over = true
      done(...)
    end
  end
  local stop_waiting = require("claudecode.moment").run(function()
    local ok, err = pcall(show, answer)
    if ok then
      close = err
    else
      -- CTRL-C, or an interface that fails: no answer either way.
      if not tostring(err):find("[Ii]nterrupt") then
        require("claudecode.log").warn(name, require("claudecode.strict").reason(err))
      end
      answer()
    end
  end, { name = name })
  return function()
    local was_over = over
    over = true
    stop_waiting()
    if close and not was_over then
      close()
    end
  end
end

--- Lets the user choose.
---@generic T
---@param name string What waits for a safe moment
---@param items T[]
---@param options mcp_tools.ChooseOptions
---@param done fun(item: T?, index: integer?)
---@return fun() cancel
function M.select(name, items, options, done)
  return ask(name, function(answer)
    return require("mcp-tools.choose").show(items, options, answer)
  end, done)
end

--- Leaves Neovim's own prompt, in which the user is.
local function leave_prompt()
  if vim.fn.getcmdtype() == "@" then
    local escape = vim.api.nvim_replace_termcodes("<C-c>", true, false, true)
    vim.api.nvim_feedkeys(escape, "n", false)
  end
end

--- Lets the user write a line. While Neovim's own |input()| waits, it serves everybody else.
---@param name string
---@param options table As of vim.ui.input
---@param done fun(text: string?)
---@return fun() cancel
function M.input(name, options, done)
  local open = false
  local cancel = ask(name, function(answer)
    open = true
    return require("mcp-tools.choose").opened_by(function()
      vim.ui.input(options, function(text)
        open = false
        answer(text)
      end)
    end)
  end, done)
  return function()
    cancel()
    if open then
      open = false
      leave_prompt()
    end
  end
end

return M
