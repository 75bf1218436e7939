--- Changes of a buffer's text: only the lines that differ, so that cursors, marks and folds stay
--- where they are, and always as one undo step of their own.

local compare = require("mcp-tools.compare")
local lines = require("mcp-tools.lines")
local slices = require("mcp-tools.slices")

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

--- Lines in a row that are set one by one. Whatever replaces lines goes through each quickfix and location
--- list first, which can take longer than all else; of more lines that is the smaller part.
local max_set = 12

---@param buf integer The current buffer
---@param first integer From 0
---@param last integer Not included
---@param new string[]
local function replace(buf, first, last, new)
  if last - first ~= #new or #new > max_set then
    return api.nvim_buf_set_lines(buf, first, last, true, new)
  end
  for i, line in ipairs(new) do
    -- In memory a NUL is a line break.
    line = line:find("%z") and line:gsub("%z", "\n") or line
    if vim.fn.setline(first + i, line) ~= 0 then
      error(("line %d cannot be set"):format(first + i), 0)
    end
  end
end

--- Replaces lines. Positions are those of the old text.
---@param buf integer Loaded
---@param replacements { at: integer, count: integer, lines: string[] }[] at: how many lines precede it; in order
---@param empty? boolean The buffer has no line, of which it shows an empty one
function M.lines(buf, replacements, empty)
  M.one_step(buf, function()
    api.nvim_buf_call(buf, function()
      for i = #replacements, 1, -1 do
        local r = replacements[i]
        replace(buf, r.at, r.at + r.count + (empty and 1 or 0), r.lines)
      end
    end)
  end)
end

--- The lines of a text that differ in another, and what they become, as lines() takes them. Runs in
--- slices.
---@param old mcp_tools.Text
---@param new mcp_tools.Text
---@return { at: integer, count: integer, lines: string[] }[]
function M.between(old, new)
  local old_size, new_size = lines.size(old), lines.size(new)
  local _, head = lines.head(old, new)
  local tail = lines.tail(old, new, math.min(old_size, new_size) - head)
  local before = lines.count(lines.sub(old, 0, head))
  local from, to = lines.sub(old, head, old_size - tail), lines.sub(new, head, new_size - tail)
  local read, replacements = lines.reader(to), {}
  for _, indices in ipairs(compare.indices(from, to)) do
    local old_first, old_count, new_first, new_count = unpack(indices)
    table.insert(replacements, {
      at = before + old_first - (old_count > 0 and 1 or 0),
      count = old_count,
      lines = new_count > 0 and read(new_first, new_count) or {},
    })
    slices.pause()
  end
  return replacements
end

return M
