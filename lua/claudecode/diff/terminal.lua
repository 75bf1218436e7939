--- Claude's terminal beside a diff: its width, its copy in the diff's own tab page, and whether
--- the cursor stays in it.

local strict = require("claudecode.strict")
local terminal = require("claudecode.terminal")
local text = require("claudecode.diff.text")
local windows = require("claudecode.windows")

local M = {}

local api = vim.api

--- What a window of a terminal has differently, and so has its copy.
local window_options = {
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  statuscolumn = "",
  cursorline = false,
  cursorcolumn = false,
  colorcolumn = "",
  spell = false,
  list = false,
  wrap = true,
  scrolloff = 0,
  sidescrolloff = 0,
  winhighlight = "",
  winbar = "",
  winfixwidth = true,
}

---@class claudecode.DiffTerminal
---@field win? integer The window beside the diff that shows the terminal
---@field width? integer What it had before the diff
---@field focused boolean Whether the user was in the terminal
---@field typing boolean And in Terminal mode

local function config()
  return require("claudecode").state.config.terminal
end

--- The window in the tab page that shows the terminal.
local function window_in(page, buf)
  return vim.iter(vim.fn.win_findbuf(buf)):find(function(win)
    return api.nvim_win_get_tabpage(win) == page
  end)
end

--- Shows the terminal in the diff's own tab page, as it is shown where the user is.
local function copy(place, buf)
  local shown = vim.fn.win_findbuf(buf)[1]
  local win = place:open(buf, place.anchor, config().split_side == "left" and "left" or "right")
  text.silently(function()
    for name, default in pairs(window_options) do
      if shown then
        default = vim.wo[shown][name]
      end
      vim.wo[win][0][name] = default
    end
  end)
  return win
end

--- Looks for the terminal, before the diff opens.
---@param place claudecode.Place
---@param options claudecode.DiffOptions
---@return claudecode.DiffTerminal
function M.find(place, options)
  local buf = terminal.get_active_terminal_bufnr()
  local focused = buf ~= nil and buf == api.nvim_get_current_buf()
  local found = { focused = focused, typing = focused and api.nvim_get_mode().mode == "t" }
  if not buf then
    return found
  end
  if not place.new_tab then
    found.win = window_in(place.tab, buf)
    found.width = found.win and api.nvim_win_get_width(found.win)
  elseif not options.hide_terminal_in_new_tab then
    found.win = copy(place, buf)
  end
  return found
end

--- Gives the terminal the width that it has beside a diff.
---@param found claudecode.DiffTerminal
---@param place claudecode.Place
---@param options claudecode.DiffOptions
function M.resize(found, place, options)
  local win = found.win
  if not win or windows.is_floating(win) or not (options.auto_resize_terminal or place.new_tab) then
    return
  end
  local share = config().diff_split_width_percentage or config().split_width_percentage or 0.3
  strict.try(api.nvim_win_set_width, win, math.floor(vim.o.columns * share))
end

--- Gives it back the width it had.
---@param found claudecode.DiffTerminal
---@param options claudecode.DiffOptions
function M.restore(found, options)
  local win = found.win
  if options.auto_resize_terminal and found.width and api.nvim_win_is_valid(win) and not windows.is_floating(win) then
    strict.try(api.nvim_win_set_width, win, found.width)
  end
end

--- Starts Terminal mode where the terminal was entered.
function M.insert()
  if config().auto_insert ~= false and vim.bo.buftype == "terminal" then
    vim.cmd.startinsert()
  end
end

--- Moves the cursor where it belongs once a diff is open.
---@param found claudecode.DiffTerminal
---@param place claudecode.Place
---@param layout claudecode.Layout
---@param options claudecode.DiffOptions
function M.focus(found, place, layout, options)
  if found.focused and options.keep_terminal_focus then
    if place.new_tab and found.win then
      strict.call(api.nvim_set_current_win, found.win)
      M.insert()
    end
  elseif found.focused or options.focus then
    strict.call(api.nvim_set_current_win, layout.win)
    vim.cmd.stopinsert()
    if layout.entered then
      layout.entered()
    end
  end
end

--- Lets the user, who is back in the terminal because the diff is closed, go on typing there.
---@param found claudecode.DiffTerminal
function M.resume(found)
  if found.typing and terminal.get_active_terminal_bufnr() == api.nvim_get_current_buf() then
    M.insert()
  end
end

return M
