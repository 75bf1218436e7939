--- Texts of buffers as they were when somebody gave them a name. The undo history does not keep
--- them for sure: it is forgotten by `:edit!`, by 'undolevels', and when a buffer is unloaded.

local lines = require("mcp-tools.lines")

local M = {}

local api = vim.api

--- Checkpoints, of which the oldest goes; bytes of text in all of them; buffers in one.
M.max, M.max_bytes, M.max_buffers = 32, 64 * 1024 * 1024, 200

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
      parts = lines.read(buf)
      size = lines.size(parts or {})
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
