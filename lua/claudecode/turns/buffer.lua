--- What a buffer has to do with a change that is taken back in its file.

local decode = require("claudecode.turns.decode")
local disk = require("claudecode.disk")
local follow = require("claudecode.turns.follow")
local hunks = require("claudecode.diff.hunks")
local paths = require("claudecode.paths")
local text = require("claudecode.diff.text")
local undo = require("claudecode.turns.undo")

local M = {}

local api = vim.api

--- The loaded buffer that has the text of a file.
---@param path string
---@return integer?
function M.of(path)
  local buf = paths.find_buffer(path)
  return buf and vim.bo[buf].buftype == "" and buf or nil
end

--- Takes the byte order mark off a text, which is none of a buffer's lines.
---@return string text
---@return boolean bomb
local function without_bom(it)
  local bomb = vim.startswith(it, text.bom)
  return bomb and it:sub(#text.bom + 1) or it, bomb
end

--- Makes a text the buffer's, line by line: marks and views of what stays stay.
local function edit(buf, now, wanted)
  local bomb
  now = without_bom(now)
  wanted, bomb = without_bom(wanted)
  local old, new, format = hunks.lines(now), hunks.lines(wanted), follow.format(buf)
  local found = hunks.between(old, new)
  if #found == 0 then -- Only the format changes, and there is something to undo all the same.
    api.nvim_buf_set_lines(buf, 0, 1, false, api.nvim_buf_get_lines(buf, 0, 1, false))
  end
  for i = #found, 1, -1 do
    local h = found[i]
    local lines = vim.tbl_map(function(line)
      return (line:gsub("\n$", ""))
    end, vim.list_slice(new, h.new_at + 1, h.new_at + h.new_count))
    api.nvim_buf_set_lines(buf, h.old_at, h.old_at + h.old_count, false, lines)
  end
  vim.bo[buf].bomb = bomb
  vim.bo[buf].endofline = wanted == "" or wanted:sub(-1) == "\n"
  follow.change(buf, format)
end

--- Takes a change back in a buffer with unsaved changes, which is not written; raises what is wrong.
---@param buf integer
---@param texts claudecode.TurnTexts
---@param range? claudecode.Range
---@return claudecode.Plan plan Without `put`
function M.merge(buf, texts, range)
  local before, after = texts.before, texts.after
  if not ((before.bytes or before.kind == "absent") and (after.bytes or after.kind == "absent")) then
    return { problem = "its buffer has unsaved changes, and there are no texts to merge with them" }
  end
  local now = text.read(buf)
  local result = undo.apply(decode.text(before.bytes or "", buf), decode.text(after.bytes or "", buf), now, range)
  if result.conflicts > 0 then
    return { conflict = result.text }
  elseif result.text == now then
    return {
      nothing = range and "no change of Claude's in these lines"
        or "its buffer, which has unsaved changes, has nothing of Claude's",
    }
  end
  edit(buf, now, result.text)
  return {}
end

--- Lets the buffer of a file have what was written, and |undo| bring back what it had.
---@param path string
function M.reload(path)
  local buf = paths.find_buffer(path)
  if not buf then
    return
  elseif not vim.uv.fs_lstat(path) then
    return disk.accept_removal(buf)
  end
  local most, format = vim.o.undoreload, follow.format(buf)
  local function set(lines)
    text.silently(function()
      vim.o.undoreload = lines
    end)
  end
  set(-1)
  disk.reload(buf)
  set(most)
  follow.change(buf, format)
end

return M
