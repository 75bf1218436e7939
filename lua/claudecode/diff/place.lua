--- Where a diff is shown: a tab page, and in it a window of the user's beside which the diff's own
--- are made. Nothing here moves the focus, a jump list, the alternate file or a mark; what had to
--- change is put back at the end.

local names = require("claudecode.diff.names")
local paths = require("claudecode.paths")
local snapshot = require("claudecode.diff.snapshot")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")
local windows = require("claudecode.windows")

local api = vim.api

---@class claudecode.Place
---@field tab integer Tab page
---@field new_tab boolean Whether the tab page was made for the diff
---@field anchor integer A window of the tab page: the user's, or one that was made
---@field shows_original boolean Whether the anchor is the user's and shows the old file
---@field own_anchor boolean Whether it was made
---@field reusable boolean Whether show() may be used: the anchor was made, or shows an empty buffer without a name
---@field close_anchor? boolean Whether close() closes a window of the user's too if it showed an empty buffer
---@field private made integer[]
---@field private given table<integer, integer> What was shown in a window
---@field private covered? integer What the anchor showed before show()
---@field private before claudecode.Snapshot
---@field private closed? boolean
local Place = {}
Place.__index = Place

local M = {}

--- An empty buffer that is gone with its window.
local function scratch()
  local buf = names.new_buffer(true)
  vim.bo[buf].bufhidden = "wipe"
  return buf
end

--- Makes a tab page right of the current one, without going there.
---@return integer win
local function new_tab()
  local home, last = api.nvim_get_current_tabpage(), vim.fn.tabpagenr("#")
  local last_page = last > 0 and api.nvim_list_tabpages()[last]
  local function go(page)
    vim.cmd.tabnext(api.nvim_tabpage_get_number(page))
  end
  return text.silently(function()
    local buf = scratch()
    local ok, err = pcall(vim.cmd, ("tab sbuffer %d"):format(buf))
    if not ok then -- The tab page may have been made before the error.
      if api.nvim_get_current_tabpage() ~= home then
        vim.cmd.tabclose()
      end
      strict.try(api.nvim_buf_delete, buf, { force = true })
      error(tostring(err):match("E%d+: .*") or err, 0)
    end
    local win = api.nvim_get_current_win()
    windows.unfix(win)
    if last_page then
      go(last_page)
    end
    go(home)
    return win
  end)
end

--- Whether a tab page has a diff already, the user's or ours.
local function is_taken(page)
  return vim.iter(api.nvim_tabpage_list_wins(page)):any(windows.is_diff)
end

--- Chooses where a file is compared, and remembers how the editor is.
---@param path string Absolute
---@param options claudecode.DiffOptions
---@return claudecode.Place
function M.choose(path, options)
  local shown = windows.find_showing(paths.find_buffer(path))
  local anchor = shown or windows.find_anchor()
  local home = api.nvim_get_current_tabpage()
  local page = anchor and api.nvim_win_get_tabpage(anchor) or home
  local self = setmetatable({ made = {}, given = {}, new_tab = false }, Place)
  if options.open_in_new_tab or is_taken(page) then
    self.before = snapshot.take(home)
    anchor, shown, self.new_tab = new_tab(), nil, true
    table.insert(self.made, anchor)
  else
    self.before = snapshot.take(page)
    if not anchor then
      anchor = text.silently(function()
        return windows.make_editor(scratch())
      end)
      table.insert(self.made, anchor)
    end
  end
  self.anchor, self.tab = anchor, api.nvim_win_get_tabpage(anchor)
  self.shows_original = shown ~= nil
  self.own_anchor = vim.list_contains(self.made, anchor)
  self.reusable = self.own_anchor or windows.is_empty(anchor)
  if shown then
    snapshot.follow(self.before, shown)
  end
  return self
end

--- Notes that a window shows a buffer that we put there.
function Place:gave(win, buf)
  self.given[win] = buf
end

--- Makes a window that shows the buffer; it does not get the focus.
---@param buf integer
---@param beside integer
---@param side "left"|"right"|"above"|"below"
---@return integer win
function Place:open(buf, beside, side)
  local known = {}
  for _, win in ipairs(api.nvim_list_wins()) do
    known[win] = true
  end
  local ok, win = pcall(strict.call, api.nvim_open_win, buf, false, { split = side, win = beside })
  if ok then
    table.insert(self.made, win)
    text.silently(function()
      windows.unfix(win)
    end)
  else
    -- It may have been made before the error.
    for _, other in ipairs(api.nvim_list_wins()) do
      if not known[other] and not windows.is_floating(other) then
        table.insert(self.made, other)
        self:gave(other, api.nvim_win_get_buf(other))
      end
    end
    error(win, 0)
  end
  self:gave(win, buf)
  if api.nvim_win_get_buf(win) ~= buf then
    self:gave(win, api.nvim_win_get_buf(win))
    error("an autocommand showed another buffer", 0)
  end
  return win
end

--- Shows a buffer in a window, which keeps its jump list and its alternate file.
local function put(win, buf)
  api.nvim_win_call(win, function()
    strict.call(
      api.nvim_cmd,
      { cmd = "buffer", count = buf, mods = { hide = true, keepalt = true, keepjumps = true } },
      {}
    )
  end)
end

--- Shows the buffer in the anchor, if that is reusable.
---@param buf integer
---@return integer win
function Place:show(buf)
  local win = self.anchor
  self.covered = self.covered or not self.own_anchor and api.nvim_win_get_buf(win) or nil
  self:gave(win, buf)
  put(win, buf)
  if api.nvim_win_get_buf(win) ~= buf then
    error("an autocommand showed another buffer", 0)
  end
  return win
end

--- Whether a window is the diff's own, and shows what it was made for.
function Place:owns(win)
  if not (api.nvim_win_is_valid(win) and vim.list_contains(self.made, win)) then
    return false
  end
  local buf = api.nvim_win_get_buf(win)
  return self.given[win] == nil or self.given[win] == buf or windows.is_ours(win)
end

--- What the user had there, or where the cursor was.
function Place:users_buffer()
  local saved = self.before.views[self.anchor] or self.before.views[self.before.win]
  return saved and api.nvim_buf_is_valid(saved.buf) and saved.buf or api.nvim_create_buf(true, false)
end

--- Closes a window. The last one becomes the user's, whose own windows are gone.
function Place:close_window(win)
  local others = vim.tbl_filter(function(other)
    return other ~= win and not windows.is_floating(other)
  end, api.nvim_list_wins())
  if #others == 0 then
    put(win, self:users_buffer())
  else
    api.nvim_win_close(win, true)
  end
end

--- Puts the user's empty buffer back, or closes its window.
function Place:give_back()
  local win = self.anchor
  if self.own_anchor or not self.reusable or not api.nvim_win_is_valid(win) then
    return
  end
  local covers = self.covered ~= nil and api.nvim_win_get_buf(win) == self.given[win]
  if self.close_anchor and (covers or windows.is_empty(win)) then
    strict.try(self.close_window, self, win)
  elseif covers and api.nvim_buf_is_valid(self.covered) then
    strict.try(put, win, self.covered)
  end
end

--- Moves the cursor out of the diff: to where it was before, else to where it was at the start.
---@param previous integer 0 if that is not known
function Place:return_to(previous)
  local home = self.before.win
  local is_valid = previous ~= 0 and api.nvim_win_is_valid(previous)
  local is_outside = is_valid and not vim.list_contains(self.made, previous)
  local win = is_outside and previous or home
  if api.nvim_win_is_valid(win) then
    strict.try(api.nvim_set_current_win, win)
  end
end

--- Closes the windows that were made, and puts back what was changed; safe to call twice.
function Place:close()
  if self.closed then
    return
  end
  self.closed = true
  if self:owns(api.nvim_get_current_win()) then
    self:return_to(self.before.win)
  end
  for _, win in ipairs(self.made) do
    if self:owns(win) then
      strict.try(self.close_window, self, win)
    end
  end
  self:give_back()
  snapshot.restore(self.before)
end

return M
