--- Claude in a terminal of snacks.nvim.
---
--- Its windows are hidden and shown here, also for keys of the user's: a terminal that is shown
--- before its window has its size draws its prompt further up each time.

local buffer = require("claudecode.terminal.buffer")
local command = require("claudecode.terminal.command")
local window = require("claudecode.terminal.window")

local api = vim.api

---@class claudecode.TerminalProvider
local M = {}

--- How long Claude takes to read a backslash as one of its own. Milliseconds.
local new_line_ms = 10

--- What snacks.nvim uses if an option names no size.
local default_share = 0.4

local sides = { left = "left", right = "right", top = "above", bottom = "below" }

local own ---@type table? A snacks.win

local function library()
  local ok, snacks = pcall(require, "snacks")
  local terminal = ok and type(snacks) == "table" and snacks.terminal
  return type(terminal) == "table" and vim.is_callable(terminal.open) and terminal or nil
end

function M.setup() end

function M.is_available()
  return library() ~= nil
end

function M.get_active_bufnr()
  return own and buffer.is_live(own.buf) and own.buf or nil
end

--- The window that shows the terminal.
local function visible()
  local buf = M.get_active_bufnr()
  return buf and window.shown(buf)[1]
end

local function is_float(term)
  return term:win_valid() and window.is_floating(term.win)
end

--- Hides or shows floating windows, which stay what they are.
local function park(term, hidden)
  for _, object in ipairs({ term, term.backdrop }) do
    if object.win and api.nvim_win_is_valid(object.win) then
      api.nvim_win_set_config(object.win, { hide = hidden })
    end
  end
end

--- Columns or lines of a split.
local function size_of(term, vertical)
  local size = vertical and term.opts.width or term.opts.height
  local total = vertical and vim.o.columns or vim.o.lines
  if vim.is_callable(size) then
    size = size(term)
  end
  size = (not size or size == 0) and default_share or size
  return size < 1 and math.floor(total * size) or size
end

--- Shows the terminal, without going there.
---@param show fun(term: table) What snacks.nvim does
local function reveal(term, show)
  local side = sides[term.opts.position]
  if is_float(term) then
    park(term, false)
  elseif not term:win_valid() and side then
    term.win = window.open(term.buf, side, size_of(term, side == "left" or side == "right"))
    for name, value in pairs(term.opts.wo or {}) do
      pcall(function()
        vim.wo[term.win][0][name] = value
      end)
    end
  elseif not term:win_valid() then
    local current = api.nvim_get_current_win()
    show(term)
    api.nvim_set_current_win(current)
  end
end

local function conceal(term)
  if is_float(term) then
    window.leave(term.win)
    park(term, true)
  else
    buffer.hide(term.buf)
  end
end

--- Has all that hides or shows a terminal go through here.
local function take_over(term)
  local show = term.show
  function term:reveal()
    reveal(self, show)
  end
  function term:hide()
    conceal(self)
    return self
  end
  function term:show()
    reveal(self, show)
    api.nvim_set_current_win(self.win)
    return self
  end
  function term:toggle()
    return #window.shown(self.buf) > 0 and self:hide() or self:show()
  end
end

--- Types a backslash and then Enter, which Claude takes for a new line.
local function new_line(term)
  local channel = vim.bo[term.buf].channel
  vim.fn.chansend(channel, "\\")
  vim.defer_fn(function()
    pcall(vim.fn.chansend, channel, "\r")
  end, new_line_ms)
end

---@param config claudecode.EffectiveTerminalOptions
local function win_options(config, focus)
  return vim.tbl_deep_extend("force", {
    position = config.split_side,
    width = config.split_width_percentage,
    height = 0,
    relative = "editor",
    enter = focus,
    keys = {
      claude_new_line = { "<S-CR>", new_line, mode = "t", desc = "New line" },
    },
  }, config.snacks_win_opts)
end

local function spawn(cmd, env, config, focus)
  local argv = command.parse(cmd)
  if vim.fn.executable(argv[1]) == 0 then
    error("the program that runs Claude is not found: " .. argv[1], 0)
  end
  buffer.wipe(own and own.buf)
  own = library().open(argv, {
    env = env,
    cwd = config.cwd,
    start_insert = focus and config.auto_insert,
    -- Going to the window by oneself does not scroll away from where one was.
    auto_insert = false,
    auto_close = false,
    win = win_options(config, focus),
  })
  if not (own and own.buf and api.nvim_buf_is_valid(own.buf)) then
    own = nil
    error("snacks.nvim opened no terminal", 0)
  end
  take_over(own)
  buffer.watch(own.buf, config.auto_close)
end

function M.open(cmd, env, config, focus)
  if not M.get_active_bufnr() then
    spawn(cmd, env, config, focus)
  end
  if not visible() then
    own:reveal()
  end
  local win = visible()
  if focus and win then
    window.enter(win, config.auto_insert)
  end
end

function M.close()
  local term = own
  own = nil
  buffer.stop(term and term.buf)
end

function M.simple_toggle(cmd, env, config)
  if visible() then
    own:hide()
  else
    M.open(cmd, env, config, true)
  end
end

function M.focus_toggle(cmd, env, config)
  if visible() and api.nvim_get_current_buf() == own.buf then
    own:hide()
  else
    M.open(cmd, env, config, true)
  end
end

function M.ensure_visible()
  if M.get_active_bufnr() and not visible() then
    own:reveal()
  end
end

return M
