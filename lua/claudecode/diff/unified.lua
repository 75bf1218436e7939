--- The layout "unified": both texts in one buffer, which cannot be edited.

local colours = require("claudecode.diff.colours")
local draft = require("claudecode.diff.draft")
local hunks = require("claudecode.diff.hunks")
local log = require("claudecode.log")
local names = require("claudecode.diff.names")
local original = require("claudecode.diff.original")
local slices = require("mcp-tools.slices")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

local namespace = api.nvim_create_namespace("claudecode_inline_diff")

--- Changed lines that get a mark each; if there are more, those of a hunk share one. The screen
--- shows the same, but a buffer with millions of marks takes seconds and gigabytes.
M.max_line_marks = 250 * 1000

local added = {
  line_hl_group = "ClaudeCodeInlineDiffAdd",
  sign_text = "+",
  sign_hl_group = "ClaudeCodeInlineDiffAddSign",
}
local deleted = {
  line_hl_group = "ClaudeCodeInlineDiffDelete",
  sign_text = "-",
  sign_hl_group = "ClaudeCodeInlineDiffDeleteSign",
}

local no_end = { virt_text = { { "\\ No newline at end of file", "NonText" } }, virt_text_pos = "eol" }

--- What a window needs to show every change, whatever options it came with.
M.window_options = { signcolumn = "yes", foldenable = false, conceallevel = 0 }

---@class (exact) claudecode.Unified
---@field buf integer
---@field original? integer The loaded buffer of the old file
---@field bom string What the proposal had before its lines
---@field old string[] Lines with their ends
---@field new string[]
---@field hunks claudecode.Hunk[] Those that were not dropped
---@field row_marks boolean Whether each changed line has a mark
---@field state? string Of one that was made beforehand: how the old file was

--- Marks some rows of the buffer.
---@param self claudecode.Unified
---@param row integer
---@param lines string[] Where the rows came from
---@param at integer
---@param count integer
---@param look vim.api.keyset.set_extmark
---@param pause? fun()
local function mark(self, row, lines, at, count, look, pause)
  local last = row + count - 1
  local step = self.row_marks and 1 or math.max(count, 1)
  for first = row, last, step do
    look.end_row = first + step - 1
    api.nvim_buf_set_extmark(self.buf, namespace, first, 0, look)
    if pause then
      pause()
    end
  end
  if count > 0 and lines[at + count]:sub(-1) ~= "\n" then
    api.nvim_buf_set_extmark(self.buf, namespace, last, 0, no_end)
  end
end

--- Marks the rows of a hunk.
---@param self claudecode.Unified
---@param hunk claudecode.Hunk
---@param row integer How many precede it
---@param pause? fun() Called often
function M.mark_hunk(self, hunk, row, pause)
  mark(self, row, self.old, hunk.old_at, hunk.old_count, deleted, pause)
  mark(self, row + hunk.old_count, self.new, hunk.new_at, hunk.new_count, added, pause)
end

--- Changes the buffer, which nobody else may.
---@param buf integer
---@param f fun()
function M.modify(buf, f)
  text.silently(function()
    vim.bo[buf].modifiable = true
    f()
    vim.bo[buf].modifiable, vim.bo[buf].modified = false, true
  end)
end

---@param self claudecode.Unified
local function draw(self)
  local changed = 0
  for _, hunk in ipairs(self.hunks) do
    changed = changed + hunk.old_count + hunk.new_count
  end
  self.row_marks = changed <= M.max_line_marks
  local lines = vim.tbl_map(function(line)
    return (line:gsub("\n$", ""))
  end, hunks.merge(self.old, self.new, self.hunks))
  M.modify(self.buf, function()
    api.nvim_buf_clear_namespace(self.buf, namespace, 0, -1)
    api.nvim_buf_set_lines(self.buf, 0, -1, false, lines)
    hunks.each_row(self.hunks, function(hunk, row)
      M.mark_hunk(self, hunk, row)
    end)
  end)
end

--- Draws two texts of lines with their ends in a buffer that proposes nothing.
---@param buf integer
---@param old string[]
---@param new string[]
---@return claudecode.Hunk[]
function M.draw(buf, old, new)
  colours.define()
  local found = hunks.between(old, new)
  draw({ buf = buf, bom = "", old = old, new = new, hunks = found, row_marks = true })
  text.silently(function()
    vim.bo[buf].modified = false
  end)
  return found
end

--- The old text with some hunks of the proposal.
---@param self claudecode.Unified
local function compose(self, chosen)
  local lines = hunks.compose(self.old, self.new, chosen)
  return (lines ~= "" or #self.new == 0) and self.bom .. lines or ""
end

--- The text with all hunks that were not dropped, in parts. Runs in slices.
---@param self claudecode.Unified
---@return string[]
local function parts(self)
  local all = hunks.parts(self.old, self.new, self.hunks, slices.pause)
  if all[1] or #self.new == 0 then
    table.insert(all, 1, self.bom)
  end
  return all
end

--- The hunks that lines of the buffer touch, and the others; says so if there are none.
---@param self claudecode.Unified
local function divide(self, first, last)
  local touched, others = hunks.divide(self.hunks, first, last)
  if #touched == 0 then
    log.warn("diff", "No change in these lines")
  end
  return touched, others
end

--- Drops the hunks that lines of the buffer touch: their old lines stay, as any others, and the
--- views of windows as far as they can.
---@param self claudecode.Unified
local function drop(self, first, last)
  local touched, others = divide(self, first, last)
  if #touched == 0 then
    return
  end
  local gone, removed = {}, 0
  for _, hunk in ipairs(touched) do
    gone[hunk] = true
  end
  M.modify(self.buf, function()
    hunks.each_row(self.hunks, function(hunk, row)
      if gone[hunk] then
        local start = row - removed
        local middle = start + hunk.old_count
        local stop = middle + hunk.new_count
        api.nvim_buf_clear_namespace(self.buf, namespace, start, stop)
        api.nvim_buf_set_lines(self.buf, middle, stop, true, {})
        removed = removed + hunk.new_count
      end
    end)
  end)
  self.hunks = others
end

---@param proposal claudecode.Proposal
---@return claudecode.Unified
local function new(proposal)
  local bom = vim.startswith(proposal.text, text.bom) and text.bom or ""
  local found = original.find(proposal.old_path)
  local before = original.text(found, proposal.text)
  local old, proposed = hunks.lines(before), hunks.lines(proposal.text:sub(#bom + 1))
  return {
    buf = names.new_buffer(true),
    original = found.buf,
    bom = bom,
    old = old,
    new = proposed,
    hunks = hunks.between(old, proposed),
    row_marks = true,
  }
end

---@param self claudecode.Unified
---@param tab_name string
---@param is_drawn boolean
local function prepare(self, tab_name, is_drawn)
  local buf = self.buf
  text.silently(function()
    local bo = vim.bo[buf]
    bo.buftype, bo.bufhidden, bo.undolevels = "acwrite", "hide", -1
    names.set(buf, tab_name .. " (unified diff)")
  end)
  vim.b[buf].claudecode_diff_tab_name = tab_name
  vim.b[buf].claudecode_inline_diff = true
  if not is_drawn then
    draw(self)
  end
end

--- Shows the buffer, with the cursor on the first change.
---@param self claudecode.Unified
---@param place claudecode.Place
---@return integer win
local function show(self, place)
  local win = place.own_anchor and place:show(self.buf) or place:open(self.buf, place.anchor, "right")
  text.silently(function()
    for name, value in pairs(M.window_options) do
      vim.wo[win][0][name] = value
    end
  end)
  if self.hunks[1] then
    api.nvim_win_set_cursor(win, { math.min(self.hunks[1].old_at + 1, api.nvim_buf_line_count(self.buf)), 0 })
  end
  return win
end

--- Opens the diff; raises after undoing all of it.
---@param proposal claudecode.Proposal
---@param _ claudecode.DiffOptions
---@param place claudecode.Place
---@param made? claudecode.Unified What was made of a long proposal beforehand, of which this takes care
---@return claudecode.Layout
function M.open(proposal, _, place, made)
  colours.define()
  local self = made ---@type claudecode.Unified
  local layout, discard = {}, draft.drop

  function layout.close()
    place:close()
    if self then
      discard(self.buf)
    end
  end

  local ok, err = pcall(strict.call, function()
    local holds = made ~= nil and require("claudecode.diff.merged").holds(made, proposal)
    if not holds then
      if made then
        draft.drop(made.buf)
      end
      self = new(proposal)
    end
    prepare(self, proposal.tab_name, holds)
    layout.buf = self.buf
    layout.win = show(self, place)
    layout.wins = { layout.win }
    if not text.is_huge(proposal.text) then
      local shown = table.concat(self.old) .. table.concat(self.new)
      strict.call(text.set_filetype, self.buf, proposal.new_path, shown, self.original)
    end
  end)
  if not ok then
    layout.close()
    error(err, 0)
  end

  discard = draft.discard
  function layout.text()
    return compose(self, self.hunks)
  end
  function layout.parts()
    return parts(self)
  end
  function layout.refill()
    self.hunks = hunks.between(self.old, self.new)
    draw(self)
  end
  function layout.drop_hunks(first, last)
    drop(self, first, last)
  end
  function layout.text_of_hunks(first, last)
    local touched = divide(self, first, last)
    return #touched > 0 and compose(self, touched) or nil
  end
  return layout
end

return M
