--- Claude in a terminal window of Neovim's own.

local buffer = require("claudecode.terminal.buffer")
local command = require("claudecode.terminal.command")
local window = require("claudecode.terminal.window")

local api = vim.api

---@class claudecode.TerminalProvider
local M = {}

local own ---@type integer? The buffer
local tip_shown = false

function M.setup() end

function M.is_available()
  return true
end

--- The terminal with a process that runs: the one that was started here, else one that shows
--- Claude, as after the plugin was loaded anew.
---@return integer? buf
function M.get_active_bufnr()
  if buffer.is_live(own) then
    return own
  end
  return vim.iter(api.nvim_list_bufs()):find(function(buf)
    return require("claudecode.terminal").runs_claude(buf) and buffer.is_live(buf) and #window.shown(buf) > 0
  end)
end

--- Shows a buffer where a Claude that ended still is, else in a new window.
---@param buf integer
---@param config claudecode.EffectiveTerminalOptions
---@return integer win
local function show(buf, config)
  local dead = own and own ~= buf and api.nvim_buf_is_valid(own) and window.shown(own)[1]
  if dead then
    api.nvim_win_set_buf(dead, buf)
    window.dress(dead)
    return dead
  end
  return window.open(buf, config.split_side, math.floor(vim.o.columns * config.split_width_percentage))
end

local function tip()
  if not tip_shown and require("claudecode").state.config.terminal.show_native_term_exit_tip then
    tip_shown = true
    require("claudecode.log").info("terminal", "Ctrl-\\ Ctrl-N leaves Terminal mode")
  end
end

---@return integer win
local function spawn(cmd, env, config)
  local argv = command.parse(cmd)
  if vim.fn.executable(argv[1]) == 0 then
    error("the program that runs Claude is not found: " .. argv[1], 0)
  end
  local buf = api.nvim_create_buf(false, false)
  vim.bo[buf].bufhidden = "hide"
  local win = show(buf, config)
  local ok, err = pcall(api.nvim_win_call, win, function()
    buffer.run(argv, { env = env, cwd = config.cwd })
  end)
  if not ok then
    buffer.wipe(buf)
    error(require("claudecode.strict").reason(err), 0)
  end
  buffer.watch(buf, config.auto_close)
  if own and own ~= buf then
    buffer.wipe(own)
  end
  own = buf
  tip()
  return win
end

--- A window of the terminal, which is started or shown if need be.
---@return integer win
local function visible(cmd, env, config)
  local buf = M.get_active_bufnr()
  return buf and (window.shown(buf)[1] or show(buf, config)) or spawn(cmd, env, config)
end

function M.open(cmd, env, config, focus)
  local mode = api.nvim_get_mode().mode
  local win = visible(cmd, env, config)
  if focus then
    window.enter(win, config.auto_insert)
  elseif mode == "n" then
    -- Where the user's autocommands start Terminal mode, they meant that window.
    vim.cmd.stopinsert()
  end
end

function M.close()
  buffer.stop(M.get_active_bufnr() or own)
  own = nil
end

function M.simple_toggle(cmd, env, config)
  local buf = M.get_active_bufnr()
  local win = buf and window.shown(buf)[1]
  if win then
    window.close(win)
  else
    M.open(cmd, env, config, true)
  end
end

function M.focus_toggle(cmd, env, config)
  local current = api.nvim_get_current_win()
  if api.nvim_win_get_buf(current) == M.get_active_bufnr() then
    window.close(current)
  else
    M.open(cmd, env, config, true)
  end
end

function M.ensure_visible()
  local buf = M.get_active_bufnr()
  if buf and #window.shown(buf) == 0 then
    show(buf, require("claudecode").state.config.terminal)
  end
end

return M
