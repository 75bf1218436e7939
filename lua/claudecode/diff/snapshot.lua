--- How the windows of a tab page are before a diff opens: their sizes, what they show of their
--- buffers, where the focus is and was.

local M = {}

local api = vim.api

---@class claudecode.Snapshot
---@field tab integer
---@field wins integer[]
---@field sizes string For :execute, in the tab page
---@field room table What its windows share
---@field views table<integer, { buf: integer, view: table }>
---@field win integer The current window
---@field last? integer Where `wincmd p` leads
---@field mode string

--- Runs f in the tab page.
local function within(page, f)
  return api.nvim_win_call(api.nvim_tabpage_get_win(page), f)
end

--- What the windows of a tab page share: its sizes, without the lines for tab pages and commands.
local function room()
  local tabline = vim.o.showtabline == 2 or (vim.o.showtabline == 1 and #api.nvim_list_tabpages() > 1)
  return { vim.o.columns, vim.o.lines, vim.o.cmdheight, vim.o.laststatus, tabline }
end

---@param win integer
function M.view(win)
  return { buf = api.nvim_win_get_buf(win), view = api.nvim_win_call(win, vim.fn.winsaveview) }
end

---@param page integer
---@return claudecode.Snapshot
function M.take(page)
  local last = vim.fn.win_getid(vim.fn.winnr("#"))
  local snapshot = { ---@type claudecode.Snapshot
    tab = page,
    wins = api.nvim_tabpage_list_wins(page),
    sizes = within(page, vim.fn.winrestcmd),
    room = room(),
    views = {},
    win = api.nvim_get_current_win(),
    last = last ~= 0 and last or nil,
    mode = api.nvim_get_mode().mode,
  }
  for _, win in ipairs(snapshot.wins) do
    snapshot.views[win] = M.view(win)
  end
  return snapshot
end

--- Has a view restored whatever became of it, as the other side of a diff moves it too, unless the
--- user moved the cursor in its window.
---@param snapshot claudecode.Snapshot
---@param win integer
function M.follow(snapshot, win)
  local saved = snapshot.views[win]
  local entered
  local function enter()
    entered = api.nvim_get_current_win() == win and api.nvim_win_get_cursor(win) or nil
  end
  function saved.moved()
    return saved.left_moved
      or entered ~= nil
        and api.nvim_get_current_win() == win
        and not vim.deep_equal(entered, api.nvim_win_get_cursor(win))
  end
  enter()
  local group = api.nvim_create_augroup("ClaudeCodeMCPDiff", { clear = false })
  saved.autocmds = {
    api.nvim_create_autocmd("WinEnter", { group = group, callback = enter }),
    api.nvim_create_autocmd("WinLeave", {
      group = group,
      callback = function()
        saved.left_moved = saved.moved()
      end,
    }),
  }
end

local function moved(win, saved)
  if saved.moved then
    return saved.moved()
  end
  local cursor = api.nvim_win_get_cursor(win)
  return cursor[1] ~= saved.view.lnum or cursor[2] ~= saved.view.col
end

--- Makes `wincmd p` lead where it did, which only works by going there.
local function restore_last(snapshot)
  local last, current = snapshot.last, api.nvim_get_current_win()
  if
    not last
    or current ~= snapshot.win
    or not api.nvim_win_is_valid(last)
    or vim.fn.win_getid(vim.fn.winnr("#")) == last
    or not vim.list_contains({ "n", "nt" }, api.nvim_get_mode().mode)
  then
    return
  end
  vim.cmd(("noautocmd call win_gotoid(%d)"):format(last))
  vim.cmd(("noautocmd call win_gotoid(%d)"):format(current))
end

--- Puts back sizes and views, as far as the user did not change them, and where `wincmd p` leads.
---@param snapshot claudecode.Snapshot
function M.restore(snapshot)
  for _, saved in pairs(snapshot.views) do
    for _, id in ipairs(saved.autocmds or {}) do
      pcall(api.nvim_del_autocmd, id)
    end
  end
  if not api.nvim_tabpage_is_valid(snapshot.tab) then
    return
  end
  local same = vim.deep_equal(api.nvim_tabpage_list_wins(snapshot.tab), snapshot.wins)
  if same and vim.deep_equal(room(), snapshot.room) then
    within(snapshot.tab, function()
      vim.cmd(snapshot.sizes)
    end)
  end
  for win, saved in pairs(snapshot.views) do
    local shown = api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == saved.buf
    if shown and not moved(win, saved) then
      api.nvim_win_call(win, function()
        vim.fn.winrestview(saved.view)
      end)
    end
  end
  restore_last(snapshot)
end

return M
