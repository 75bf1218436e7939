--- Two changes of one text, made one: a three-way merge by lines. A text is exact to the byte, and
--- nothing here knows of files or buffers. Changes of lines that overlap or touch are a conflict,
--- unless both are the same, as they are to git.

local hunks = require("claudecode.diff.hunks")

local M = {}

---@class (exact) claudecode.Merged
---@field text string With markers around each conflict if there are any
---@field conflicts integer

--- What stands around the sides of a conflict.
---@class (exact) claudecode.MergeLabels
---@field ours string
---@field base string
---@field theirs string

---@class (exact) claudecode.MergeRegion
---@field first integer Lines of the base before it
---@field last integer The last of its lines
---@field ours claudecode.Hunk[]
---@field theirs claudecode.Hunk[]

--- The parts of the base that either side changes, in order.
---@return claudecode.MergeRegion[]
local function regions(ours, theirs)
  local found, i, j = {}, 1, 1
  while ours[i] or theirs[j] do
    local first = math.min(ours[i] and ours[i].old_at or math.huge, theirs[j] and theirs[j].old_at or math.huge)
    local region = { first = first, last = first, ours = {}, theirs = {} }
    local function take(side, h)
      table.insert(side, h)
      region.last = math.max(region.last, h.old_at + h.old_count)
    end
    local grew = true
    while grew do
      grew = false
      if ours[i] and ours[i].old_at <= region.last then
        take(region.ours, ours[i])
        i, grew = i + 1, true
      end
      if theirs[j] and theirs[j].old_at <= region.last then
        take(region.theirs, theirs[j])
        j, grew = j + 1, true
      end
    end
    table.insert(found, region)
  end
  return found
end

--- What one side has for a part of the base.
---@param lines string[] Of that side
---@param shift integer By how many lines its earlier hunks moved the part
---@param region claudecode.MergeRegion
---@param of_region claudecode.Hunk[]
---@return string text
---@return integer shift For what follows
local function side(lines, shift, region, of_region)
  local first = region.first + shift
  for _, h in ipairs(of_region) do
    shift = shift + h.new_count - h.old_count
  end
  return table.concat(lines, "", first + 1, region.last + shift), shift
end

local function with_end(text)
  return (text == "" or text:sub(-1) == "\n") and text or text .. "\n"
end

---@param labels claudecode.MergeLabels
local function marked(labels, ours, base, theirs)
  return table.concat({
    "<<<<<<< " .. labels.ours .. "\n",
    with_end(ours),
    "||||||| " .. labels.base .. "\n",
    with_end(base),
    "=======\n",
    with_end(theirs),
    ">>>>>>> " .. labels.theirs .. "\n",
  })
end

--- Applies to one text what changed between two others.
---@param base string
---@param ours string The text that the change is applied to, made from the base
---@param theirs string The base with the change
---@param labels? claudecode.MergeLabels
---@return claudecode.Merged
function M.merge(base, ours, theirs, labels)
  labels = labels or { ours = "ours", base = "base", theirs = "theirs" }
  local old, our_lines, their_lines = hunks.lines(base), hunks.lines(ours), hunks.lines(theirs)
  local parts, conflicts, at, our_shift, their_shift = {}, 0, 0, 0, 0
  for _, region in ipairs(regions(hunks.between(old, our_lines), hunks.between(old, their_lines))) do
    table.insert(parts, table.concat(old, "", at + 1, region.first))
    local mine, other
    mine, our_shift = side(our_lines, our_shift, region, region.ours)
    other, their_shift = side(their_lines, their_shift, region, region.theirs)
    if #region.ours == 0 then
      table.insert(parts, other)
    elseif #region.theirs == 0 or mine == other then
      table.insert(parts, mine)
    else
      conflicts = conflicts + 1
      table.insert(parts, marked(labels, mine, table.concat(old, "", region.first + 1, region.last), other))
    end
    at = region.last
  end
  table.insert(parts, table.concat(old, "", at + 1, #old))
  return { text = table.concat(parts), conflicts = conflicts }
end

return M
