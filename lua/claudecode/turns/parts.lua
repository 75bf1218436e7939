--- What the views of a review's file are made of: buffers of ours, and the place's own window.

local names = require("claudecode.diff.names")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

--- Makes a buffer that cannot be edited.
---@param name string
---@param contents string
---@param undo fun()[]
---@return integer buf
function M.read_only(name, contents, undo)
  local buf = names.new_buffer(true)
  table.insert(undo, function()
    if api.nvim_buf_is_valid(buf) then
      strict.try(api.nvim_buf_delete, buf, { force = true })
    end
  end)
  text.silently(function()
    names.set(buf, name)
  end)
  text.fill(buf, contents)
  text.silently(function()
    vim.bo[buf].modified, vim.bo[buf].modifiable = false, false
  end)
  return buf
end

--- An empty buffer that is gone with its window.
local function empty()
  local buf = names.new_buffer(true)
  vim.bo[buf].bufhidden = "wipe"
  return buf
end

--- Shows a buffer in the place's own window, until what was done before this is undone.
---@param place claudecode.Place
---@param buf integer
---@param undo fun()[]
---@return integer win
function M.show(place, buf, undo)
  table.insert(undo, function()
    if api.nvim_win_is_valid(place.anchor) then
      place:show(empty())
    end
  end)
  return place:show(buf)
end

return M
