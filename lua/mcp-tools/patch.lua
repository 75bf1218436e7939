--- Changes of a buffer's text: only the lines that differ, so that cursors, marks and folds stay
--- where they are, and always as one undo step of their own.

local hunks = require("claudecode.diff.hunks")

local M = {}

local api = vim.api

--- Ends the undo step that is open, as setting 'undolevels' does.
local function break_undo(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

--- Runs f, whose changes of the buffer are undone at once.
---@param buf integer Loaded
---@param f fun()
function M.one_step(buf, f)
  break_undo(buf)
  local ok, err = pcall(f)
  break_undo(buf)
  if not ok then
    error(err, 0)
  end
end

--- Replaces lines. Positions are those of the old text.
---@param buf integer Loaded
---@param replacements { at: integer, count: integer, lines: string[] }[] at: how many lines precede it; in order
---@param empty? boolean The buffer has no line, of which it shows an empty one
function M.lines(buf, replacements, empty)
  M.one_step(buf, function()
    for i = #replacements, 1, -1 do
      local r = replacements[i]
      api.nvim_buf_set_lines(buf, r.at, r.at + r.count + (empty and 1 or 0), true, r.lines)
    end
  end)
end

--- How many bytes two texts begin with alike. Pieces are compared, as single bytes would take long.
local function common_head(a, b)
  local at, most = 0, math.min(#a, #b)
  for _, piece in ipairs({ 4096, 64, 1 }) do
    while at + piece <= most and a:sub(at + 1, at + piece) == b:sub(at + 1, at + piece) do
      at = at + piece
    end
  end
  return at
end

--- How many they end with alike, but for some bytes.
local function common_tail(a, b, most)
  local at = 0
  for _, piece in ipairs({ 4096, 64, 1 }) do
    while at + piece <= most and a:sub(#a - at - piece + 1, #a - at) == b:sub(#b - at - piece + 1, #b - at) do
      at = at + piece
    end
  end
  return at
end

--- The part of both texts that differs, in whole lines.
---@return integer before Bytes
---@return string old
---@return string new
local function middle(old, new)
  local head = common_head(old, new)
  while head > 0 and old:byte(head) ~= 10 do
    head = head - 1
  end
  local tail = common_tail(old, new, math.min(#old, #new) - head)
  local first = old:find("\n", #old - tail + 1, true)
  tail = first and #old - first or 0
  return head, old:sub(head + 1, #old - tail), new:sub(head + 1, #new - tail)
end

--- Which line begins at a byte of a buffer's text.
local function line_at(buf, byte)
  local low, high = 0, api.nvim_buf_line_count(buf)
  while low < high do
    local half = math.floor((low + high) / 2)
    if api.nvim_buf_get_offset(buf, half) < byte then
      low = half + 1
    else
      high = half
    end
  end
  return low
end

local function without_ends(lines, first, last)
  local list = {}
  for i = first, last do
    list[#list + 1] = (lines[i]:gsub("\n$", ""))
  end
  return list
end

--- Turns the text of a buffer into another; whether its last line has an end is part of it.
---@param buf integer Loaded
---@param old string What claudecode.diff.text reads in it, without a byte order mark
---@param new string
function M.text(buf, old, new)
  local head, from, to = middle(old, new)
  local before = line_at(buf, head)
  local old_lines, new_lines = hunks.lines(from), hunks.lines(to)
  M.lines(
    buf,
    vim.tbl_map(function(hunk)
      return {
        at = before + hunk.old_at,
        count = hunk.old_count,
        lines = without_ends(new_lines, hunk.new_at + 1, hunk.new_at + hunk.new_count),
      }
    end, hunks.between(old_lines, new_lines)),
    old == ""
  )
  vim.bo[buf].endofline = new == "" or new:sub(-1) == "\n"
end

return M
