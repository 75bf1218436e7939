--- What becomes of a text when what Claude changed in it is taken back, all of it or what some lines
--- show. Nothing here knows of files or buffers.

local hunks = require("claudecode.diff.hunks")
local merge = require("claudecode.turns.merge")

local M = {}

---@class (exact) claudecode.Range
---@field first integer From 1
---@field last integer Included

local labels = { ours = "now", base = "after Claude's change", theirs = "before it" }

--- The lines of the text now that stand where a hunk's old lines were: how many precede them, and
--- the last.
---@param h claudecode.Hunk
---@param since claudecode.Hunk[] What changed since, in order
local function place(h, since)
  local first, last = h.old_at, h.old_at + h.old_count
  local before, within = 0, 0
  for _, other in ipairs(since) do
    local grown = other.new_count - other.old_count
    if other.old_at + other.old_count <= first then
      before = before + grown
    end
    if other.old_at < last then
      within = within + grown
    end
  end
  return first + before, math.max(first + before, last + within)
end

--- Whether lines touch those of a hunk, or if it has none one beside it.
---@param range claudecode.Range
local function touches(range, first, last)
  if first == last then
    return first <= range.last and first + 1 >= range.first
  end
  return first < range.last and last >= range.first
end

--- What of the change the lines show: the hunks that lead back from the text after it.
---@param after string[] Lines
---@param before string[]
---@param now string[]
---@param range? claudecode.Range Lines of the text now; all by default
---@return claudecode.Hunk[]
local function chosen(after, before, now, range)
  local back = hunks.between(after, before)
  if not range then
    return back
  end
  local most = math.max(#now, 1)
  local within = { first = math.min(range.first, most), last = math.min(range.last, most) }
  local since = hunks.between(after, now)
  return vim.tbl_filter(function(h)
    return touches(within, place(h, since))
  end, back)
end

--- Whether the last line has an end.
local function has_end(text)
  return text == "" or text:sub(-1) == "\n"
end

--- Merges texts of which only one of the first two has an end of its last line: it stays as it is in
--- the second. 'fixendofline' adds one to a file without it, which is no change of the last line.
---@return claudecode.Merged
local function merge_without_end(base, ours, theirs)
  local final = ours:match("\r?\n$") or base:match("\r?\n$")
  local function ended(text)
    return has_end(text) and text or text .. final
  end
  local merged = merge.merge(ended(base), ended(ours), ended(theirs), labels)
  if not has_end(ours) and vim.endswith(merged.text, final) then
    merged.text = merged.text:sub(1, -#final - 1)
  end
  return merged
end

--- Takes back what changed between two texts in a third one, which was made from the second.
---@param before string
---@param after string
---@param now string
---@param range? claudecode.Range Lines of the text now; all by default
---@return claudecode.Merged
function M.apply(before, after, now, range)
  if now == after and not range then
    return { text = before, conflicts = 0 }
  end
  local old, new = hunks.lines(after), hunks.lines(before)
  local theirs = hunks.compose(old, new, chosen(old, new, hunks.lines(now), range))
  local merged = merge.merge(after, now, theirs, labels)
  if merged.conflicts > 0 and has_end(now) ~= has_end(after) then
    local other = merge_without_end(after, now, theirs)
    return other.conflicts == 0 and other or merged
  end
  return merged
end

--- The lines of the text now that show a change, for signs.
---@param before string
---@param after string
---@param now string
---@return { first: integer, last: integer, kind: "added"|"changed"|"removed" }[] first: lines before them
function M.shown(before, after, now)
  local old, current = hunks.lines(after), hunks.lines(now)
  local since = hunks.between(old, current)
  return vim.tbl_map(function(h)
    local first, last = place(h, since)
    local kind = h.old_count == 0 and "removed" or h.new_count == 0 and "added" or "changed"
    return { first = first, last = math.min(last, #current), kind = kind }
  end, hunks.between(old, hunks.lines(before)))
end

return M
