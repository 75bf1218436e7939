--- Paths of at-mentions. Claude is sent absolute ones, so that a client in another folder than
--- Neovim's finds the file; it shows them relative to its own.

local paths = require("claudecode.paths")

local M = {}

--- How much of a file is read at once, in bytes.
local piece_size = 64 * 1024

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

--- How many lines a file has on disk, which is what Claude reads; no more than `limit` are counted.
---@param path string
---@param limit integer
---@return integer? count nil if there is nothing to count
function M.count_lines(path, limit)
  local absolute = paths.absolute(paths.expand_home(path))
  local stat = vim.uv.fs_stat(absolute)
  local file = stat and stat.type == "file" and io.open(absolute, "rb")
  if not file then
    return nil
  end
  local count, last = 0, "\n"
  for piece in
    function()
      return count < limit and file:read(piece_size) or nil
    end
  do
    count = count + select(2, piece:gsub("\n", ""))
    last = piece:sub(-1)
  end
  file:close()
  return math.min(last == "\n" and count or count + 1, limit)
end

return M
