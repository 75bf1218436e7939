--- mini.files.

local M = {}

--- The path on a line; old versions give the name of a buffer.
---@param line? integer The cursor's if absent
---@return string?
local function path_on(files, line)
  local ok, entry = pcall(files.get_fs_entry, vim.api.nvim_get_current_buf(), line)
  return ok and entry and entry.path and (entry.path:gsub("^minifiles://%d+/", "")) or nil
end

local function mini_files()
  local ok, files = pcall(require, "mini.files")
  return ok and files or nil
end

function M.selected()
  local files = mini_files()
  if not files then
    return nil, "mini.files not available"
  end
  local path = path_on(files)
  if not path then
    return nil, "Failed to get entry from mini.files"
  elseif not vim.uv.fs_stat(path) then
    return nil, "Invalid file or directory path: " .. path
  end
  return { path }
end

function M.in_range(first, last)
  local files = mini_files()
  if not files then
    return nil, "mini.files not available"
  end
  local paths = {}
  for line = first, last do
    local path = path_on(files, line)
    table.insert(paths, path and vim.uv.fs_stat(path) and path or nil)
  end
  if #paths == 0 then
    return nil, "No files found in range"
  end
  return paths
end

return M
