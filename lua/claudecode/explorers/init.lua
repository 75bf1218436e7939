--- Files and folders that are selected in a file explorer. Which explorer a buffer is, its
--- filetype alone says: a file of the user's may be called anything.

local M = {}

--- How an explorer is asked. Both answer paths in the order of the explorer, or what is wrong.
--- They look at the current window and leave it as it is.
---@class claudecode.Explorer
---@field selected fun(): string[]?, string? What is marked, else what is under the cursor
---@field in_range fun(first: integer, last: integer): string[]?, string? What is on the lines

--- By filetype: the module that asks.
local adapters = {
  NvimTree = "nvim_tree",
  ["neo-tree"] = "neo_tree",
  oil = "oil",
  minifiles = "mini_files",
  netrw = "netrw",
  snacks_picker_list = "snacks",
  snacks_picker_input = "snacks",
}

---@param list string[]
local function without_duplicates(list)
  local seen = {}
  return vim.tbl_filter(function(path)
    local is_new = not seen[path]
    seen[path] = true
    return is_new
  end, list)
end

--- Whether the current buffer is an explorer's.
---@return boolean
function M.is_current()
  return adapters[vim.bo.filetype] ~= nil
end

--- The paths that are selected in the current window, or that stand on some of its lines.
---@param first? integer From 1
---@param last? integer From 1, included
---@return string[]? paths
---@return string? err
function M.files(first, last)
  local name = adapters[vim.bo.filetype]
  if not name then
    return nil, ("Not in a supported tree buffer (current filetype: %s)"):format(vim.bo.filetype)
  end
  local adapter = require("claudecode.explorers." .. name) ---@type claudecode.Explorer
  local ok, found, err = pcall(function()
    if first then
      return adapter.in_range(first, last --[[@as integer]])
    end
    return adapter.selected()
  end)
  if not ok then
    return nil, tostring(found) -- the explorer's own fault
  elseif not found then
    return nil, err
  end
  return without_duplicates(found)
end

return M
