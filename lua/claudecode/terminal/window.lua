--- The windows that show Claude's terminal.

local layout = require("claudecode.terminal.layout")

local api = vim.api

local M = {}

--- What a window has differently if it shows a terminal: nothing of an editor's.
local options = {
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
  scrolloff = 0,
  sidescrolloff = 0,
  diff = false,
  scrollbind = false,
  cursorbind = false,
  winfixbuf = false,
}

---@param win integer
---@return boolean
function M.is_floating(win)
  return api.nvim_win_get_config(win).relative ~= ""
end

--- The windows that show a buffer, those of the current tab page first. A floating window may be
--- there and hidden.
---@param buf integer
---@return integer[]
function M.shown(buf)
  local page = api.nvim_get_current_tabpage()
  local here, elsewhere = {}, {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if not api.nvim_win_get_config(win).hide then
      table.insert(api.nvim_win_get_tabpage(win) == page and here or elsewhere, win)
    end
  end
  return vim.list_extend(here, elsewhere)
end

--- Remembers where the user scrolled to. Whose cursor is on the screen of the terminal sees what
--- comes last, also later.
---@param win integer
function M.remember(win)
  local buf = api.nvim_win_get_buf(win)
  local last = api.nvim_buf_line_count(buf)
  local follows = api.nvim_win_get_cursor(win)[1] > last - api.nvim_win_get_height(win)
  vim.b[buf].claudecode_view = not follows and api.nvim_win_call(win, vim.fn.winsaveview) or nil
end

--- Scrolls to where the user was.
---@param win integer
function M.recall(win)
  local buf = api.nvim_win_get_buf(win)
  local view = vim.b[buf].claudecode_view
  api.nvim_win_call(win, function()
    vim.fn.winrestview(view or { lnum = api.nvim_buf_line_count(buf) })
  end)
end

--- Gives a window what those of a terminal have.
---@param win integer
function M.dress(win)
  for name, value in pairs(options) do
    vim.wo[win][0][name] = value
  end
end

--- Opens a window along a whole side of the editor. It does not get the focus.
---@param buf integer
---@param side "left"|"right"|"above"|"below"
---@param size integer Columns or lines
---@return integer win
function M.open(buf, side, size)
  local vertical = side == "left" or side == "right"
  local win = layout.opening(function()
    return api.nvim_open_win(buf, false, {
      split = side,
      win = -1,
      [vertical and "width" or "height"] = math.max(size, 1),
    })
  end)
  M.dress(win)
  -- Other windows come and go beside it.
  vim.wo[win][0].winfixwidth, vim.wo[win][0].winfixheight = vertical, not vertical
  M.recall(win)
  return win
end

-- Terminal mode that is told to end ends later, and takes a :startinsert along that came meanwhile.
local ending = false
local again ---@type integer? The window in which it is to start then

api.nvim_create_autocmd("ModeChanged", {
  group = api.nvim_create_augroup("ClaudeCodeTerminalMode", { clear = true }),
  pattern = "t:*",
  desc = "Starts Terminal mode again where that was wanted meanwhile",
  callback = function()
    local win = again
    ending, again = false, nil
    if win then
      vim.schedule(function()
        if api.nvim_get_current_win() == win then
          vim.cmd.startinsert()
        end
      end)
    end
  end,
})

--- Ends Terminal mode, also one that :startinsert has yet to start.
local function stop_insert()
  ending, again = ending or api.nvim_get_mode().mode == "t", nil
  vim.cmd.stopinsert()
end

--- Moves the cursor into a window.
---@param win integer
---@param insert boolean Whether Terminal mode starts
function M.enter(win, insert)
  api.nvim_set_current_win(win)
  if not insert then
    return stop_insert()
  end
  again = ending and win or nil
  vim.cmd.startinsert()
end

--- What takes the place of a terminal in the editor's only window.
local function replacement(buf)
  local alternate = vim.fn.bufnr("#")
  local usable = alternate > 0 and alternate ~= buf and vim.bo[alternate].buflisted
  return usable and alternate or api.nvim_create_buf(true, false)
end

local function is_only(win)
  return vim.iter(api.nvim_list_wins()):all(function(other)
    return other == win or M.is_floating(other)
  end)
end

--- Leaves a window by going to where the user came from.
---@param win integer
function M.leave(win)
  if api.nvim_get_current_win() ~= win then
    return
  end
  stop_insert()
  local previous = vim.fn.win_getid(vim.fn.winnr("#"))
  if previous ~= 0 and previous ~= win then
    api.nvim_set_current_win(previous)
  end
end

--- Closes a window; the editor's only one shows another buffer instead. It never raises.
---@param win integer
function M.close(win)
  if not api.nvim_win_is_valid(win) then
    return
  end
  if is_only(win) then
    M.remember(win)
    pcall(api.nvim_win_set_buf, win, replacement(api.nvim_win_get_buf(win)))
    vim.wo[win].winfixwidth, vim.wo[win].winfixheight = false, false
    return stop_insert()
  end
  layout.closing(win, function()
    pcall(M.leave, win)
    pcall(api.nvim_win_close, win, true)
  end)
end

return M
