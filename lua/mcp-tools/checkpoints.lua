--- Texts of buffers as they were when somebody gave them a name. The undo history does not keep
--- them for sure: it is forgotten by `:edit!`, by 'undolevels', and when a buffer is unloaded.

local slices = require("mcp-tools.slices")

local M = {}

local api = vim.api

--- Checkpoints, of which the oldest goes; bytes of text in all of them; buffers in one.
M.max, M.max_bytes, M.max_buffers = 32, 64 * 1024 * 1024, 200

--- Lines that are read in one go, and how often a buffer is read anew because the user types.
local block, max_tries = 100, 20

---@class (exact) mcp_tools.Kept
---@field buf integer
---@field path string
---@field parts string[] Of its text, which is too long to be put together at once
---@field modified boolean
---@field seq integer Of the undo tree

---@class (exact) mcp_tools.Checkpoint
---@field name string
---@field kept mcp_tools.Kept[]
---@field bytes integer

local checkpoints = {} ---@type mcp_tools.Checkpoint[] oldest first

--- The text of a buffer in parts, read in slices; nil if it changes all the time or is gone.
---@param buf integer
---@return string[]? parts
---@return integer bytes
local function read(buf)
  for _ = 1, max_tries do
    local tick, parts, bytes = api.nvim_buf_get_changedtick(buf), {}, 0
    local count = api.nvim_buf_line_count(buf)
    local empty = count == 1 and require("claudecode.diff.text").read(buf) == ""
    for first = 0, count - 1, block do
      local last = first + block >= count
      local part = table.concat(api.nvim_buf_get_lines(buf, first, first + block, false), "\n")
      parts[#parts + 1] = part .. ((not last or not empty and vim.bo[buf].endofline) and "\n" or "")
      bytes = bytes + #parts[#parts]
      slices.pause()
      if not api.nvim_buf_is_loaded(buf) then
        return nil, 0
      end
    end
    if api.nvim_buf_get_changedtick(buf) == tick then
      return parts, bytes
    end
  end
  return nil, 0
end

local function forget(name)
  checkpoints = vim.tbl_filter(function(other)
    return other.name ~= name
  end, checkpoints)
end

local function total()
  local sum = 0
  for _, checkpoint in ipairs(checkpoints) do
    sum = sum + checkpoint.bytes
  end
  return sum
end

--- Makes a checkpoint, or replaces the one of that name. Runs in slices.
---@param name string
---@param bufs integer[] Loaded
---@return mcp_tools.Checkpoint?
---@return string? err
function M.make(name, bufs)
  local kept, bytes = {}, 0
  for _, buf in ipairs(bufs) do
    local parts, size = nil, 0
    if api.nvim_buf_is_loaded(buf) then
      parts, size = read(buf)
    end
    if not parts then
      return nil, ("Buffer %d changes all the time, or was closed"):format(buf)
    end
    bytes = bytes + size
    if bytes > M.max_bytes then
      return nil, ("The texts are more than %d MiB"):format(M.max_bytes / 1024 / 1024)
    end
    table.insert(kept, {
      buf = buf,
      path = api.nvim_buf_get_name(buf),
      parts = parts,
      modified = vim.bo[buf].modified,
      seq = vim.fn.undotree(buf).seq_cur,
    })
  end
  forget(name)
  local checkpoint = { name = name, kept = kept, bytes = bytes }
  table.insert(checkpoints, checkpoint)
  while #checkpoints > M.max or total() > M.max_bytes do
    table.remove(checkpoints, 1)
  end
  return checkpoint
end

---@param name string
---@return mcp_tools.Checkpoint?
function M.find(name)
  return vim.iter(checkpoints):find(function(checkpoint)
    return checkpoint.name == name
  end)
end

---@return string[] names
function M.names()
  return vim.tbl_map(function(checkpoint)
    return checkpoint.name
  end, checkpoints)
end

return M
