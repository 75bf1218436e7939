--- oil.nvim, its folders on this machine.

local M = {}

--- The folder that is shown, and how to ask for its entries.
---@return table? oil
---@return string? folder_or_err
local function open_folder()
  local ok, oil = pcall(require, "oil")
  if not ok then
    return nil, "oil.nvim not available"
  end
  local folder = oil.get_current_dir(vim.api.nvim_get_current_buf())
  if not folder then
    return nil, "Failed to get current directory"
  end
  return oil, folder
end

---@return string?
local function path_of(folder, entry)
  if entry.name and entry.name ~= "." and entry.name ~= ".." then
    return vim.fs.joinpath(folder, entry.name)
  end
end

function M.selected()
  local oil, folder = open_folder()
  if not oil then
    return nil, folder
  end
  local entry = oil.get_cursor_entry()
  if not entry then
    return nil, "Failed to get cursor entry"
  end
  local path = path_of(folder, entry)
  if not path then
    return nil, "No file found under cursor"
  end
  return { path }
end

function M.in_range(first, last)
  local oil, folder = open_folder()
  if not oil then
    return nil, folder
  end
  local paths, buf = {}, vim.api.nvim_get_current_buf()
  for line = first, last do
    local entry = oil.get_entry_on_line(buf, line)
    table.insert(paths, entry and path_of(folder, entry) or nil)
  end
  return paths
end

return M
