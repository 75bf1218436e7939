--- Paths of at-mentions. Claude is sent absolute ones, so that a client in another folder than
--- Neovim's finds the file; it shows them relative to its own.

local paths = require("claudecode.paths")

local M = {}

--- The path as it is sent: absolute, with a slash behind a folder.
---@param path any
---@return string? formatted
---@return string|boolean is_directory_or_err
function M.format(path)
  if type(path) ~= "string" or path == "" then
    return nil, "path must be a non-empty string"
  end
  local absolute = vim.fs.normalize(paths.absolute(paths.expand_home(path)), { expand_env = false })
  local stat = vim.uv.fs_stat(absolute)
  if not stat then
    return nil, "path does not exist: " .. path
  elseif stat.type ~= "directory" then
    return absolute, false
  end
  return absolute == "/" and absolute or absolute .. "/", true
end

return M
