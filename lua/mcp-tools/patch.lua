--- Changes of a buffer's text: only the lines that differ, so that cursors, marks and folds stay
--- where they are, and always as one undo step of their own.

local hunks = require("claudecode.diff.hunks")
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

--- Texts are compared by another thread if they have more lines than this together, and each is handed
--- over in a few pieces: one string of a long text would take long to make.
local max_at_once, pieces = 500, 4

--- What differs, as vim.text.diff() gives it. Runs in any thread, so it knows nothing of this file.
local function differences(a1, a2, a3, a4, b1, b2, b3, b4)
  local diff = vim.text and vim.text.diff or vim.diff
  local options = { result_type = "indices", indent_heuristic = true }
  local ok, found = pcall(diff, a1 .. a2 .. a3 .. a4, b1 .. b2 .. b3 .. b4, options)
  return ok, ok and vim.mpack.encode(found) or tostring(found)
end

--- A text in that many pieces.
local function cut(text)
  local list, size = {}, math.ceil(#text / pieces)
  for i = 1, pieces do
    slices.pause()
    list[i] = table.concat(text, "", (i - 1) * size + 1, math.min(i * size, #text))
  end
  return list
end

--- Compares texts.
---@return integer[][] found
local function compare(old, new)
  local old_count, new_count = lines.count(old), lines.count(new)
  if old_count + new_count == 0 then
    return {}
  elseif old_count == 0 or new_count == 0 or old_count + new_count > hunks.max_lines then
    -- An empty range is given by the line before it.
    return { { old_count > 0 and 1 or 0, old_count, new_count > 0 and 1 or 0, new_count } }
  end
  local both = vim.list_extend(cut(old), cut(new))
  local ok, result
  if old_count + new_count <= max_at_once or not slices.can_pause() then
    ok, result = differences(unpack(both))
  else
    slices.pause(true)
    local work = vim.uv.new_work(differences, function(...)
      ok, result = ...
    end)
    assert(work:queue(unpack(both)))
    while ok == nil do
      slices.pause(true)
    end
  end
  return ok and vim.mpack.decode(result) or error(result, 0)
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
  for _, indices in ipairs(compare(from, to)) do
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
