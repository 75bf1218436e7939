--- The layouts "vertical" and "horizontal": the old file and the proposal in Neovim's diff mode.

local cleanup = require("claudecode.cleanup")
local drafts = require("claudecode.diff.draft")
local mode = require("claudecode.diff.mode")
local names = require("claudecode.diff.names")
local original = require("claudecode.diff.original")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

local sides = { vertical = "right", horizontal = "below" }

local function delete(buf)
  if buf and api.nvim_buf_is_valid(buf) then
    strict.try(api.nvim_buf_delete, buf, { force = true })
  end
end

--- The left or upper side of a new file.
---@return integer buf
local function nothing(proposal)
  local buf = names.new_buffer(true)
  text.silently(function()
    names.set(buf, proposal.old_path .. " (NEW FILE)")
    vim.bo[buf].modifiable, vim.bo[buf].readonly = false, true
  end)
  return buf
end

--- Closing a window of ours would note its cursor as the place where the user left the buffer.
---@param buf integer
---@param release fun()
---@return fun() release
function M.keep_last_place(buf, release)
  local mark = api.nvim_buf_get_mark(buf, '"')
  return function()
    if api.nvim_buf_is_loaded(buf) and mark[1] > 0 then
      pcall(api.nvim_buf_set_mark, buf, '"', mark[1], mark[2], {})
    end
    release()
  end
end

--- The buffer to compare with, and what gives it back.
---@param found claudecode.Original
---@return integer buf
---@return fun() release
local function open_original(found, proposal, place)
  if found.buf and not place.shows_original then
    return found.buf, M.keep_last_place(found.buf, (select(2, original.load(found))))
  elseif found.buf or not found.is_new then
    return original.load(found)
  elseif place.reusable and not place.own_anchor then
    -- The user's empty buffer is as good as any.
    return api.nvim_win_get_buf(place.anchor), function() end
  end
  local buf = nothing(proposal)
  return buf, function()
    delete(buf)
  end
end

---@param found claudecode.Original
---@param draft? integer A buffer that has the text already
---@return integer buf
local function open_proposed(found, proposal, other, draft)
  local is_filled = draft ~= nil and api.nvim_buf_is_loaded(draft)
  local buf = is_filled and draft or names.new_buffer(false)
  local ok, err = pcall(function()
    text.silently(function()
      local bo = vim.bo[buf]
      bo.buftype, bo.bufhidden, bo.swapfile, bo.undofile = "acwrite", "hide", false, false
      names.set(buf, proposal.tab_name .. (found.is_new and " (NEW FILE - proposed)" or " (proposed)"))
    end)
    vim.b[buf].claudecode_diff_tab_name = proposal.tab_name
    if not is_filled then
      text.fill(buf, proposal.text)
    end
    strict.call(text.set_filetype, buf, proposal.new_path, proposal.text, other)
  end)
  if not ok then
    delete(buf)
    error(err, 0)
  end
  return buf
end

--- Shows in a window the lines that the other side shows.
local function align(win, other)
  local view = api.nvim_win_call(other, vim.fn.winsaveview)
  api.nvim_win_call(win, function()
    vim.fn.winrestview({ topline = view.topline, lnum = view.lnum })
  end)
end

--- Moves the cursor of the current window to the first change.
function M.go_to_first_change()
  vim.cmd("keepjumps normal! gg")
  if vim.fn.diff_hlID(1, 1) == 0 and vim.fn.diff_filler(1) == 0 then
    pcall(vim.cmd, "silent! keepjumps normal! ]c")
  end
end

--- Puts both windows into diff mode, and the lines of the target into the other one's view.
---@param layout claudecode.Layout
---@param place claudecode.Place
---@param undo fun()[]
function M.compare(layout, place, undo)
  table.insert(undo, mode.keep_scrollopt())
  local is_long = mode.is_long(vim.tbl_map(api.nvim_win_get_buf, layout.wins))
  for _, win in ipairs(layout.wins) do
    table.insert(undo, mode.on(win, layout.buf, not place:owns(win), is_long))
  end
  if is_long then
    mode.compare(layout.wins)
    table.insert(undo, require("claudecode.diff.folding").begin(layout.wins))
  end
  align(layout.win, layout.target)
end

--- Shows both sides, and puts them into diff mode.
---@param layout claudecode.Layout
---@param other integer
---@param place claudecode.Place
---@param side "right"|"below"
---@param undo fun()[]
local function open_windows(layout, other, place, side, undo)
  if api.nvim_win_get_buf(place.anchor) == other then
    layout.target = place.anchor
  elseif place.reusable then
    layout.target = place:show(other)
  else
    layout.target = place:open(other, place.anchor, side)
  end
  layout.win = place:open(layout.buf, layout.target, side)
  layout.wins = { layout.target, layout.win }
  M.compare(layout, place, undo)
  text.silently(function()
    vim.bo[layout.buf].modified = true
  end)
  vim.b[layout.buf].claudecode_diff_new_win = layout.win
  vim.b[layout.buf].claudecode_diff_target_win = layout.target
end

--- Opens the diff; raises after undoing all of it.
---@param proposal claudecode.Proposal
---@param options claudecode.DiffOptions
---@param place claudecode.Place
---@param draft? integer A buffer that has the text already, of which this takes care
---@return claudecode.Layout
function M.open(proposal, options, place, draft)
  local function close_place()
    place:close()
  end
  -- In the order it was done. The place is closed before the buffers that it shows, and in any case.
  local undo = { close_place }
  local discard = delete
  local layout = { is_whole = true }
  cleanup.guard(undo, function()
    local found = original.find(proposal.old_path)
    local other, release = open_original(found, proposal, place)
    table.insert(undo, release)
    layout.buf = open_proposed(found, proposal, other, draft)
    table.insert(undo, function()
      discard(layout.buf)
    end)
    table.insert(undo, close_place)
    strict.call(open_windows, layout, other, place, sides[options.layout], undo)
  end)
  function layout.close()
    cleanup.run(undo)
  end
  discard = drafts.discard
  layout.entered = M.go_to_first_change
  function layout.text()
    return text.read(layout.buf)
  end
  function layout.refill()
    text.fill(layout.buf, proposal.text)
  end
  return layout
end

return M
