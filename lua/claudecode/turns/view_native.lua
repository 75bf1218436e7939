--- A file of a review in the layouts with two windows: the text before against the buffer of the file.

local decode = require("claudecode.turns.decode")
local disk = require("claudecode.disk")
local native = require("claudecode.diff.native")
local original = require("claudecode.diff.original")
local parts = require("claudecode.turns.parts")
local paths = require("claudecode.paths")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

local sides = { vertical = "left", horizontal = "above" }

--- The buffer of the file, or one that stands for a file that is gone.
---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param undo fun()[]
---@return integer buf
local function buffer_of(file, texts, undo)
  if texts.now.kind ~= "file" then
    return paths.find_buffer(file.path) or parts.read_only(file.path .. " (removed)", "", undo)
  end
  local buf, release = original.load(original.find(file.path))
  disk.reload(buf)
  table.insert(undo, native.keep_last_place(buf, release))
  return buf
end

--- Moves the cursor of the current window with ]c or [c.
local function jump(forward)
  local before = api.nvim_win_get_cursor(0)
  pcall(vim.cmd, "silent! normal! " .. vim.v.count1 .. (forward and "]c" or "[c"))
  return not vim.deep_equal(before, api.nvim_win_get_cursor(0))
end

--- Moves the cursor of the current window to the first or the last change.
local function enter(last)
  if not last then
    return native.go_to_first_change()
  end
  vim.cmd("keepjumps normal! G")
  if vim.fn.diff_hlID(vim.fn.line("."), 1) == 0 then
    jump(false)
  end
end

---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param layout "vertical"|"horizontal"
---@param place claudecode.Place
---@param undo fun()[]
---@return claudecode.ReviewView
function M.open(file, texts, layout, place, undo)
  local now = buffer_of(file, texts, undo)
  local live = texts.now.kind == "file" and now or nil
  local contents = decode.text(texts.before.bytes or "", live)
  local before = parts.read_only(file.path .. " (before)", contents, undo)
  local target = parts.show(place, now, undo)
  local win = place:open(before, target, sides[layout])
  table.insert(undo, function()
    if place:owns(win) then
      place:close_window(win)
    end
  end)
  native.compare({ buf = before, win = win, target = target, wins = { target, win } }, place, undo)
  strict.call(text.set_filetype, before, file.path, contents, now)
  return {
    win = target,
    wins = { target, win },
    bufs = { now, before },
    live = live,
    enter = enter,
    jump = jump,
    range = function(first, last)
      return api.nvim_get_current_win() == target and { first = first, last = last } or nil
    end,
  }
end

return M
