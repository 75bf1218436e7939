--- A file of a review in the layout "unified": the text before and the one now in one buffer.

local decode = require("claudecode.turns.decode")
local disk = require("claudecode.disk")
local hunks = require("claudecode.diff.hunks")
local parts = require("claudecode.turns.parts")
local paths = require("claudecode.paths")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")
local unified = require("claudecode.diff.unified")

local M = {}

local api = vim.api

--- The lines with which the changes begin in a buffer that shows both texts.
---@param found claudecode.Hunk[]
---@return integer[]
local function starts(found)
  local rows = {}
  hunks.each_row(found, function(_, row)
    table.insert(rows, row + 1)
  end)
  return rows
end

--- Moves the cursor to another change.
---@param found claudecode.Hunk[]
---@param forward boolean
---@return boolean moved
local function jump(found, forward)
  local line = api.nvim_win_get_cursor(0)[1]
  local ahead = vim.tbl_filter(function(row)
    return forward and row > line or not forward and row < line
  end, starts(found))
  local count = math.min(vim.v.count1, #ahead)
  local row = ahead[forward and count or #ahead - count + 1]
  if row then
    api.nvim_win_set_cursor(0, { row, 0 })
  end
  return row ~= nil
end

--- The lines of the new text that hunks have; half a line is between two.
---@param touched claudecode.Hunk[]
---@return claudecode.Range?
local function lines_of(touched)
  local first, last = touched[1], touched[#touched]
  if not first then
    return nil
  end
  return {
    first = first.new_at + (first.new_count > 0 and 1 or 0.5),
    last = last.new_at + (last.new_count > 0 and last.new_count or 0.5),
  }
end

--- The text of a file as it is now, its unsaved changes included.
---@param texts claudecode.TurnTexts
---@return string text
---@return integer? buf Its buffer
local function text_now(texts)
  local loaded = paths.find_buffer(texts.path)
  if loaded and texts.now.kind == "file" then
    disk.reload(loaded)
  end
  return texts.now.kind == "absent" and "" or loaded and text.read(loaded) or decode.text(texts.now.bytes or ""), loaded
end

---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param place claudecode.Place
---@param undo fun()[]
---@return claudecode.ReviewView
function M.open(file, texts, _, place, undo)
  local now, loaded = text_now(texts)
  local before = decode.text(texts.before.bytes or "", texts.now.kind == "file" and loaded or nil)
  local buf = parts.read_only(file.path .. " (review)", "", undo)
  local found = unified.draw(buf, hunks.lines(before), hunks.lines(now))
  local win = parts.show(place, buf, undo)
  text.silently(function()
    for name, value in pairs(unified.window_options) do
      vim.wo[win][0][name] = value
    end
  end)
  strict.call(text.set_filetype, buf, file.path, before .. now, loaded)
  return {
    win = win,
    wins = { win },
    bufs = { buf },
    is_stale = function(current)
      return text_now(current) ~= now
    end,
    enter = function(last)
      local rows = starts(found)
      api.nvim_win_set_cursor(0, { rows[last and #rows or 1] or 1, 0 })
    end,
    jump = function(forward)
      return jump(found, forward)
    end,
    range = function(first, last)
      return lines_of((hunks.divide(found, first, last)))
    end,
  }
end

return M
