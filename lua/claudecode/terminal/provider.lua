--- Which provider shows Claude: the one that the options name, as far as it can be used.

local M = {}

--- What every provider has, those of the user's too. A command and an environment are used only if
--- a Claude is started.
---@class claudecode.TerminalProvider
---@field setup fun(config: table)
---@field is_available fun(): boolean
---@field open fun(cmd: string, env: table<string, string>, config: claudecode.EffectiveTerminalOptions, focus: boolean)
---@field close fun()
---@field simple_toggle fun(cmd: string, env: table<string, string>, config: claudecode.EffectiveTerminalOptions)
---@field focus_toggle fun(cmd: string, env: table<string, string>, config: claudecode.EffectiveTerminalOptions)
---@field get_active_bufnr fun(): integer? The terminal in which Claude runs
---@field ensure_visible? fun() Shows a terminal that is there, without going there
---@field is_running? fun(): boolean Where Claude has no buffer

---@class (exact) claudecode.EffectiveTerminalOptions
---@field split_side "left"|"right"
---@field split_width_percentage number
---@field auto_close boolean
---@field auto_insert boolean
---@field snacks_win_opts table
---@field cwd? string Claude's working folder, nil for the editor's

local used ---@type claudecode.TerminalProvider?

--- The problems that the user was told since the last setup().
local told = {} ---@type table<string, true>

---@param problem string
local function tell(problem)
  if not told[problem] then
    told[problem] = true
    require("claudecode.log").warn("terminal", problem .. "; native is used")
  end
end

---@param name string
---@return claudecode.TerminalProvider
local function builtin(name)
  return require("claudecode.terminal." .. name)
end

--- The provider that the option means, and why it is another one than it says.
---@param value string|table
---@return claudecode.TerminalProvider
---@return string? problem
local function choose(value)
  if type(value) == "table" then
    local problem = require("claudecode.terminal.custom").problem(value)
    return problem and builtin("native") or value, problem
  elseif value == "auto" then
    local snacks = builtin("snacks")
    return snacks.is_available() and snacks or builtin("native")
  end
  local provider = builtin(value)
  if not provider.is_available() then
    local needs = value == "snacks" and "needs snacks.nvim" or "needs a command, external_terminal_cmd"
    return builtin("native"), ('the provider "%s" %s'):format(value, needs)
  end
  return provider
end

--- Whether a Claude runs that the provider started.
---@param provider claudecode.TerminalProvider
---@return boolean
function M.is_running(provider)
  if provider.is_running then
    return provider.is_running()
  end
  local ok, buf = pcall(provider.get_active_bufnr)
  return ok and buf ~= nil and vim.api.nvim_buf_is_valid(buf)
end

--- The provider to ask; one whose Claude runs stays it.
---@param value string|table terminal.provider
---@return claudecode.TerminalProvider
function M.current(value)
  if used and M.is_running(used) then
    return used
  end
  local problem
  used, problem = choose(value)
  if problem then
    tell(problem)
  end
  return used
end

--- Tells the user if the provider that the option means cannot be used, once Neovim has loaded
--- everything: what it needs may come after setup().
---@param value string|table
function M.check(value)
  told = {}
  local function check()
    local _, problem = choose(value)
    if problem then
      tell(problem)
    end
  end
  if vim.v.vim_did_enter == 1 then
    return check()
  end
  vim.api.nvim_create_autocmd("VimEnter", {
    group = vim.api.nvim_create_augroup("ClaudeCodeTerminalProvider", { clear = true }),
    once = true,
    desc = "Tells of a provider that cannot be used",
    callback = vim.schedule_wrap(check),
  })
end

--- Whether a provider runs the words of the command as they are, and no shell reads it.
---@param provider claudecode.TerminalProvider
---@return boolean
function M.takes_words(provider)
  return provider == builtin("native") or provider == builtin("snacks")
end

--- The one that was last asked.
---@return claudecode.TerminalProvider?
function M.last()
  return used
end

--- The terminal of the one that was last asked.
---@return integer? buf
function M.buffer()
  local ok, buf = pcall(used and used.get_active_bufnr or function() end)
  return ok and type(buf) == "number" and vim.api.nvim_buf_is_valid(buf) and buf or nil
end

--- Whether what the option means can show Claude in a window of the editor.
---@param value string|table
---@return boolean
function M.can_focus(value)
  local provider = choose(value)
  return provider ~= builtin("none") and provider ~= builtin("external")
end

return M
