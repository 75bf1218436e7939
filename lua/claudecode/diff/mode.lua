--- Diff mode of windows: on, and off again in every window that came to it by the way.

local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")
local windows = require("claudecode.windows")

local M = {}

local api = vim.api

--- What diff mode changes in a window.
local options = {
  "diff",
  "scrollbind",
  "cursorbind",
  "wrap",
  "foldmethod",
  "foldcolumn",
  "foldenable",
  "foldlevel",
}

--- Lines of a text from which on Neovim does not fold what is alike: it would go through all changes
--- for each line, and again whenever the text changes.
M.max_folded = 5000

local scrollopt ---@type string? What it was before the first window went into diff mode

local function diffing()
  return vim.tbl_filter(function(win)
    return vim.wo[win].diff
  end, api.nvim_list_wins())
end

--- Diff mode changes 'scrollopt', of which there is only one.
---@return fun() undo
function M.keep_scrollopt()
  if #diffing() == 0 then
    scrollopt = vim.o.scrollopt
  end
  return function()
    text.silently(function()
      if #diffing() > 0 then
        -- |:diffoff| looks for other diffs in its tab page only.
        vim.opt.scrollopt:append("hor")
      elseif scrollopt then
        vim.o.scrollopt, scrollopt = scrollopt, nil
      end
    end)
  end
end

--- Runs f while the window shows the buffer: Neovim remembers the options of a window for each
--- buffer that it has shown.
local function showing(win, buf, f)
  local shown = api.nvim_win_get_buf(win)
  if shown == buf then
    return f()
  elseif not api.nvim_buf_is_loaded(buf) then
    return
  end
  local bufhidden = vim.bo[shown].bufhidden
  text.silently(function()
    vim.bo[shown].bufhidden = "hide"
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      vim.cmd(("keepalt keepjumps hide buffer %d"):format(buf))
      strict.try(f)
      vim.cmd(("keepalt keepjumps hide buffer %d"):format(shown))
      vim.fn.winrestview(view)
    end)
    vim.bo[shown].bufhidden = bufhidden
  end)
end

local function off(win, before)
  strict.try(api.nvim_win_call, win, function()
    vim.cmd.diffoff()
  end)
  text.silently(function()
    for name, value in pairs(before) do
      vim.wo[win][0][name] = value
    end
  end)
end

--- Whether a window is in a diff of other buffers than these.
local function in_another_diff(win, bufs)
  return vim.iter(api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(win))):any(function(other)
    return vim.wo[other].diff and not vim.list_contains(bufs, api.nvim_win_get_buf(other))
  end)
end

--- Whether one of the buffers is too long for Neovim to fold what is alike.
---@param bufs integer[]
---@return boolean
function M.is_long(bufs)
  return vim.iter(bufs):any(function(buf)
    return api.nvim_buf_line_count(buf) > M.max_folded
  end)
end

--- Compares windows that are in diff mode but for that.
---@param wins integer[]
function M.compare(wins)
  for _, win in ipairs(wins) do
    strict.call(function()
      vim.wo[win][0].diff = true
    end)
  end
end

--- Puts a window into diff mode.
---@param win integer
---@param proposed integer The buffer of the other side
---@param is_users boolean Whether its folds matter
---@param is_long boolean Whether it is to have no folds, and is yet to be compared
---@return fun() undo Also for the windows that were split from it
function M.on(win, proposed, is_users, is_long)
  local buf, known, before = api.nvim_win_get_buf(win), diffing(), {}
  for _, name in ipairs(options) do
    before[name] = vim.wo[win][name]
  end
  local folds = is_users and require("claudecode.folds").save(win) or nil

  local function is_stray(other)
    return other ~= win
      and api.nvim_win_get_buf(other) == buf
      and not vim.list_contains(known, other)
      and not windows.is_ours(other)
      and not in_another_diff(other, { buf, proposed })
  end

  local function undo()
    if api.nvim_win_is_valid(win) then
      showing(win, buf, function()
        off(win, before)
      end)
    end
    for _, other in ipairs(vim.tbl_filter(is_stray, diffing())) do
      off(other, before)
    end
    if not folds or not api.nvim_win_is_valid(win) or api.nvim_win_get_buf(win) ~= buf then
      return
    elseif before.foldmethod == "manual" then
      -- Those of the diff would stay.
      api.nvim_win_call(win, function()
        vim.cmd("silent! normal! zE")
      end)
    end
    folds()
  end

  local ok, err = pcall(api.nvim_win_call, win, function()
    strict.call(vim.cmd.diffthis)
    if is_long then
      -- Before there is another side, none of this takes time.
      text.silently(function()
        vim.wo[win][0].foldmethod, vim.wo[win][0].diff = "manual", false
        vim.cmd("silent! normal! zE")
      end)
    end
  end)
  if not ok then
    undo()
    error(err, 0)
  end
  return undo
end

return M
