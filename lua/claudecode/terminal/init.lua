--- The terminal in which Claude runs: what the commands, the mentions and users ask for. A provider
--- does it.

local M = {}

local api = vim.api

--- How long a Claude that is to be started waits for the server's port. Milliseconds.
M.port_wait_ms = 2000

--- What a call may have differently from the options.
local overridable = { "split_side", "split_width_percentage", "snacks_win_opts", "cwd", "git_repo_cwd", "cwd_provider" }

--- The options, as they are; changes take effect.
---@type claudecode.TerminalOptions
M.defaults = setmetatable({}, {
  __index = function(_, key)
    return require("claudecode").state.config.terminal[key]
  end,
  __newindex = function(_, key, value)
    require("claudecode").state.config.terminal[key] = value
  end,
})

local function log()
  return require("claudecode.log")
end

local function provider()
  return require("claudecode.terminal.provider")
end

---@return claudecode.Config
local function config()
  return require("claudecode").state.config
end

--- The options with what a call has differently, as far as that keeps their rules.
---@param overrides? table
---@return table
local function overridden(overrides)
  local result = vim.tbl_extend("force", {}, config().terminal)
  for _, option in ipairs(require("claudecode.options").list) do
    local key = option.path:match("^terminal%.([%w_]+)$")
    local value = (overrides or {})[key or ""]
    if value ~= nil and vim.list_contains(overridable, key) then
      if option.rule.holds(value) then
        result[key] = value
      else
        log().warn("terminal", ("%s must be %s; it is ignored"):format(key, option.rule.expected))
      end
    end
  end
  return result
end

--- What a provider is given of them.
---@param overrides? table
---@return claudecode.EffectiveTerminalOptions
local function effective(overrides)
  local terminal = overridden(overrides)
  return {
    split_side = terminal.split_side,
    split_width_percentage = terminal.split_width_percentage,
    auto_close = terminal.auto_close,
    auto_insert = terminal.auto_insert,
    snacks_win_opts = terminal.snacks_win_opts,
    cwd = require("claudecode.cwd").resolve(terminal),
  }
end

--- The server's port. A server that is being started is waited for: a Claude without its port would
--- not find it.
---@return integer?
local function port()
  local state = require("claudecode.server").state
  if state.server and not state.port then
    vim.wait(M.port_wait_ms, function()
      return state.port ~= nil or not state.server
    end, 5)
    if state.server and not state.port then
      log().warn("terminal", "Claude starts before the server: in it, /ide connects")
    end
  end
  return state.port
end

--- What gives a Claude that is started the editor's tools.
---@param at? integer The server's port
---@param chosen claudecode.TerminalProvider
---@return string[]? args
local function mcp_args(at, chosen)
  if not (at and config().mcp.enabled) then
    return nil
  end
  local options = { file = not provider().takes_words(chosen) }
  local args, reason = require("claudecode.mcp_args").make(config(), at, options)
  if not args then
    log().warn("terminal", "Claude starts without the editor's tools: " .. reason)
  end
  return args
end

--- Takes care of the terminal that a provider was asked for.
---@param chosen claudecode.TerminalProvider
---@param running boolean Whether its Claude ran before
local function attend(chosen, running)
  local buf, buffer = provider().buffer(), require("claudecode.terminal.buffer")
  if not buf then
    return
  end
  vim.b[buf].claudecode_terminal = true
  if not provider().takes_words(chosen) then
    buffer.adopt(buf)
  end
  if running then
    buffer.wake(buf)
  end
end

--- Has the provider do something; its errors are messages.
---@param action "open"|"simple_toggle"|"focus_toggle"
---@param overrides? table
---@param args? string For a Claude that is started
---@param focus? boolean
local function ask(action, overrides, args, focus)
  local chosen = provider().current(config().terminal.provider)
  local running = provider().is_running(chosen)
  args = vim.trim(args or "")
  if running and args ~= "" then
    log().warn("terminal", ("Claude runs already, without %s: :ClaudeCodeClose ends it"):format(args))
  end
  local at, options = not running and port() or nil, effective(overrides)
  local cmd = require("claudecode.terminal.command").line(config(), args, mcp_args(at, chosen))
  local env = require("claudecode.terminal.environment").make(config(), at)
  local ok, err = pcall(chosen[action], cmd, env, options, focus)
  if not ok then
    return log().error("terminal", tostring(err))
  end
  attend(chosen, running)
end

--- Prepares what the options ask for.
---@param options claudecode.Config
function M.setup(options)
  require("claudecode.terminal.prepare")(options)
end

--- Shows Claude and goes there; starts it if it does not run.
---@param overrides? table Options for this call
---@param args? string Arguments for a Claude that is started
function M.open(overrides, args)
  ask("open", overrides, args, true)
end

--- The same, without going there.
---@param overrides? table
---@param args? string
function M.toggle_open_no_focus(overrides, args)
  ask("open", overrides, args, false)
end

--- Hides Claude if it is shown, else does what open() does.
---@param overrides? table
---@param args? string
function M.simple_toggle(overrides, args)
  ask("simple_toggle", overrides, args)
end

M.toggle = M.simple_toggle

--- Hides Claude if the cursor is there, else does what open() does.
---@param overrides? table
---@param args? string
function M.focus_toggle(overrides, args)
  ask("focus_toggle", overrides, args)
end

--- Shows the Claude that runs in the editor. One is started only if none is connected: who has a
--- Claude elsewhere wants what is sent to it, not a second one, which would get it too.
---@param focus? boolean Whether to go there
function M.ensure_visible(focus)
  local chosen = provider().current(config().terminal.provider)
  if not provider().is_running(chosen) then
    if not require("claudecode").is_claude_connected() then
      ask("open", nil, nil, focus == true)
    end
  elseif focus or not chosen.ensure_visible then
    ask("open", nil, nil, focus == true)
  else
    chosen.ensure_visible()
  end
end

--- Ends Claude and removes its terminal; never raises.
function M.close()
  local last = provider().last() or provider().current(config().terminal.provider)
  require("claudecode.terminal.buffer").expect_end(provider().buffer())
  local ok, err = pcall(last.close)
  if not ok then
    log().error("terminal", tostring(err))
  end
end

--- Types text into the Claude that runs in the editor; none is started for it.
---@param text string
---@param options? { submit?: boolean, focus?: boolean } Whether Enter follows (it does), and whether to go there
---@return boolean sent
function M.send_to_terminal(text, options)
  options = options or {}
  local sent, problem = require("claudecode.terminal.send").send(text, options.submit ~= false)
  if not sent then
    log().warn("terminal", "Not sent: " .. problem)
  elseif options.focus then
    M.open()
  end
  return sent
end

--- Whether a buffer is a terminal that runs Claude. The folder, which is part of a terminal's
--- name, may be called anything.
---@param buf integer
---@return boolean
function M.runs_claude(buf)
  if vim.bo[buf].buftype ~= "terminal" then
    return false
  end
  local command = api.nvim_buf_get_name(buf):gsub("^term://.-//%d+:", "")
  return vim.b[buf].claudecode_terminal == true or command:lower():find("claude", 1, true) ~= nil
end

--- The buffer of Claude's terminal: the current one if it is one, else the provider's.
---@return integer? buf
function M.get_active_terminal_bufnr()
  local current = api.nvim_get_current_buf()
  if M.runs_claude(current) then
    return current
  end
  return provider().buffer() or vim.iter(api.nvim_list_bufs()):find(M.runs_claude)
end

--- The window that shows Claude's terminal, in the current tab page if there is one.
---@return integer? win
function M.window()
  local buf = M.get_active_terminal_bufnr()
  return buf and require("claudecode.terminal.window").shown(buf)[1]
end

return M
