--- What differs between two texts, as hunks, and texts with only some of them. A line is one with
--- its end; only the last one may have none. Nothing here knows of buffers.

local M = {}

---@class (exact) claudecode.Hunk Some lines of the old text, which the new text has others for
---@field old_at integer How many lines of the old text precede it
---@field old_count integer
---@field new_at integer
---@field new_count integer

--- Lines of both texts that are compared, once those are left out that begin or end both. The worst
--- texts take a second; of longer ones all that is left is one hunk.
M.max_lines = 250 * 1000

--- Lines that one part of a text has at most.
local max_part = 500

---@param text string
---@return string[]
function M.lines(text)
  local lines = {}
  for line in text:gmatch("[^\n]*\n?") do
    lines[#lines + 1] = line ~= "" and line or nil
  end
  return lines
end

local function hunk(old_at, old_count, new_at, new_count)
  return { old_at = old_at, old_count = old_count, new_at = new_at, new_count = new_count }
end

local function compare(old, new, at, old_count, new_count)
  local diff = vim.text and vim.text.diff or vim.diff
  local found = diff(
    table.concat(old, "", at + 1, at + old_count),
    table.concat(new, "", at + 1, at + new_count),
    { result_type = "indices", indent_heuristic = true }
  )
  -- An empty range is given by the line before it.
  return vim.tbl_map(function(indices)
    local old_first, old_lines, new_first, new_lines = unpack(indices)
    local old_at = old_first - (old_lines > 0 and 1 or 0)
    local new_at = new_first - (new_lines > 0 and 1 or 0)
    return hunk(at + old_at, old_lines, at + new_at, new_lines)
  end, found)
end

--- How many lines the texts begin and end with alike.
local function alike(old, new)
  local most = math.min(#old, #new)
  local head, tail = 0, 0
  while head < most and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  while tail < most - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  return head, tail
end

--- The hunks between two texts, in order.
---@param old string[] Lines
---@param new string[]
---@return claudecode.Hunk[]
function M.between(old, new)
  if #old + #new <= M.max_lines then
    return compare(old, new, 0, #old, #new)
  end
  local head, tail = alike(old, new)
  local old_count, new_count = #old - head - tail, #new - head - tail
  if old_count + new_count == 0 then
    return {}
  elseif old_count + new_count <= M.max_lines then
    return compare(old, new, head, old_count, new_count)
  end
  return { hunk(head, old_count, head, new_count) }
end

--- Goes through both texts: the lines before each hunk, the hunk, the lines after the last.
---@param old string[]
---@param hunks claudecode.Hunk[] In order
---@param on_same fun(first: integer, last: integer) Lines of the old text
---@param on_hunk fun(hunk: claudecode.Hunk)
local function walk(old, hunks, on_same, on_hunk)
  local at = 0
  for _, h in ipairs(hunks) do
    on_same(at + 1, h.old_at)
    on_hunk(h)
    at = h.old_at + h.old_count
  end
  on_same(at + 1, #old)
end

--- The old text with these hunks of the new one, in parts.
---@param old string[]
---@param new string[]
---@param hunks claudecode.Hunk[] Some of those between the two, in order
---@param pause? fun() Called often
---@return string[]
function M.parts(old, new, hunks, pause)
  local parts = {}
  local function add(lines, first, last)
    for at = first, last, max_part do
      parts[#parts + 1] = table.concat(lines, "", at, math.min(at + max_part - 1, last))
      if pause then
        pause()
      end
    end
  end
  walk(old, hunks, function(first, last)
    add(old, first, last)
  end, function(h)
    add(new, h.new_at + 1, h.new_at + h.new_count)
  end)
  return parts
end

--- The same as one string.
---@param old string[]
---@param new string[]
---@param hunks claudecode.Hunk[]
---@return string
function M.compose(old, new, hunks)
  return table.concat(M.parts(old, new, hunks))
end

--- Both texts in one: the old lines, each hunk's new lines behind its old ones.
---@param old string[]
---@param new string[]
---@param hunks claudecode.Hunk[]
---@return string[] lines
function M.merge(old, new, hunks)
  local merged = {}
  walk(old, hunks, function(first, last)
    vim.list_extend(merged, old, first, last)
  end, function(h)
    vim.list_extend(merged, old, h.old_at + 1, h.old_at + h.old_count)
    vim.list_extend(merged, new, h.new_at + 1, h.new_at + h.new_count)
  end)
  return merged
end

--- Goes through the hunks of a merged text.
---@param hunks claudecode.Hunk[]
---@param f fun(hunk: claudecode.Hunk, row: integer) With the rows, from 0, that precede its old lines
function M.each_row(hunks, f)
  local added = 0
  for _, h in ipairs(hunks) do
    f(h, h.old_at + added)
    added = added + h.new_count
  end
end

--- Divides the hunks of a merged text into those that a range of its lines touches, and the others.
---@param hunks claudecode.Hunk[]
---@param first integer From 1
---@param last integer Included
---@return claudecode.Hunk[] touched
---@return claudecode.Hunk[] others
function M.divide(hunks, first, last)
  local touched, others = {}, {}
  M.each_row(hunks, function(h, row)
    local touches = row < last and row + h.old_count + h.new_count >= first
    table.insert(touches and touched or others, h)
  end)
  return touched, others
end

return M
