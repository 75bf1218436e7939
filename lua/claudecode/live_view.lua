--- A small window whose lines are written anew now and then as long as it is open. Closed, it costs
--- nothing.

local words = require("claudecode.words")

local M = {}

local api = vim.api

--- Between two looks.
M.refresh_ms = 1000

--- The part of the screen that it takes at most.
local max_width, max_height = 0.9, 0.7

local min_width = 40

---@class claudecode.LiveView
---@field title string
---@field footer string
---@field filetype string
---@field lines fun(): string[] What is shown now
---@field ask? fun(show: fun()): fun() Asks for what is shown; the result gives the question up
---@field keys? table<string, fun(line: integer)> In Normal mode, with the number of the cursor's line

---@class claudecode.OpenView
---@field buf integer
---@field win integer
---@field render fun()

local open = {} ---@type table<string, claudecode.OpenView> by filetype

---@param lines string[]
local function place(lines)
  local width = min_width
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line))
  end
  width = math.max(1, math.min(width, math.floor(vim.o.columns * max_width)))
  local height = math.max(1, math.min(#lines, math.floor(vim.o.lines * max_height)))
  return {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
  }
end

--- Writes what changed, and nothing else: the cursor and what is selected stay.
local function write(buf, lines)
  if vim.deep_equal(lines, api.nvim_buf_get_lines(buf, 0, -1, false)) then
    return false
  end
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  return true
end

---@param view claudecode.LiveView
---@return integer buf
---@return integer win
local function create(view)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable, vim.bo[buf].undolevels = "wipe", false, -1
  vim.bo[buf].filetype = view.filetype
  local config = vim.tbl_extend("error", place({}), {
    style = "minimal",
    border = "rounded",
    title = (" %s "):format(view.title),
    footer = (" %s "):format(view.footer),
  })
  local ok, win = pcall(api.nvim_open_win, buf, true, config)
  if not ok then
    api.nvim_buf_delete(buf, { force = true })
    error(win, 0)
  end
  vim.wo[win].wrap = false
  return buf, win
end

---@param view claudecode.LiveView
local function keymaps(view, buf, win)
  for key, run in pairs(view.keys or {}) do
    vim.keymap.set("n", key, function()
      run(api.nvim_win_get_cursor(win)[1])
    end, { buffer = buf, nowait = true })
  end
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = buf, nowait = true, desc = "Close" })
  end
end

--- Opens a view, or goes to it.
---@param view claudecode.LiveView
---@return fun() render
function M.open(view)
  local found = open[view.filetype]
  if found and api.nvim_win_is_valid(found.win) then
    api.nvim_set_current_win(found.win)
    return found.render
  end
  local buf, win = create(view)
  local timer = assert(vim.uv.new_timer())
  local give_up = function() end

  local function render()
    if not api.nvim_win_is_valid(win) then
      return
    end
    local lines = vim.tbl_map(words.plain, view.lines())
    if write(buf, lines) then
      api.nvim_win_set_config(win, place(lines))
    end
  end
  local function look()
    if open[view.filetype] and open[view.filetype].buf == buf then
      give_up()
      give_up = view.ask and view.ask(render) or give_up
      render()
    end
  end
  open[view.filetype] = { buf = buf, win = win, render = render }
  keymaps(view, buf, win)
  -- The buffer goes with its window, whatever closes that.
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      give_up()
      timer:stop()
      timer:close()
      open[view.filetype] = nil
    end,
  })
  look()
  timer:start(M.refresh_ms, M.refresh_ms, vim.schedule_wrap(look))
  return render
end

return M
