--- The lock files as Claude reads them, and which of them lead to this editor.

local paths = require("claudecode.paths")

local M = {}

--- Files that are read, and bytes of each.
M.max_files, M.max_bytes = 200, 65536

---@class (exact) claudecode.Lock
---@field path string
---@field port? integer Of its name
---@field problem? string Why it cannot be read; then there is nothing else
---@field pid? integer
---@field alive? boolean
---@field ide_name? string
---@field transport? string
---@field folders? string[]
---@field has_token? boolean

---@return table? fields
---@return string? problem
local function read(path)
  local stat, missing = vim.uv.fs_stat(path)
  if not stat then
    return nil, missing
  elseif stat.type ~= "file" then
    return nil, "it is no file"
  end
  local file, err = io.open(path)
  if not file then
    return nil, err
  end
  local ok, fields = pcall(vim.json.decode, file:read(M.max_bytes) or "", { luanil = { object = true, array = true } })
  file:close()
  if not ok or type(fields) ~= "table" then
    return nil, "it is no JSON object"
  end
  return fields
end

local function of_type(value, wanted)
  return type(value) == wanted and value or nil
end

---@param path string
---@param token? string What it should hold
---@return claudecode.Lock
---@return boolean? right Whether it holds that token
function M.read(path, token)
  local port = tonumber(vim.fs.basename(path):match("^(%d+)%.lock$"))
  local fields, problem = read(path)
  if not fields then
    return { path = path, port = port, problem = problem }
  end
  local pid = of_type(fields.pid, "number")
  return {
    path = path,
    port = port,
    pid = pid,
    alive = pid ~= nil and pid > 0 and select(3, vim.uv.kill(pid, 0)) ~= "ESRCH",
    ide_name = of_type(fields.ideName, "string"),
    transport = of_type(fields.transport, "string"),
    folders = vim.tbl_filter(function(folder)
      return type(folder) == "string"
    end, of_type(fields.workspaceFolders, "table") or {}),
    has_token = type(fields.authToken) == "string",
  },
    fields.authToken == token
end

--- The folders in which a Claude that is started from here looks for lock files.
---@return string[]
function M.dirs()
  local own = require("claudecode.lockfile").lock_dir
  local default = paths.expand_home("~/.claude/ide")
  local config = vim.env.CLAUDE_CONFIG_DIR or ""
  local claudes = vim.trim(config) ~= "" and vim.fs.joinpath(paths.absolute(paths.expand_home(config)), "ide")
  local dirs = {}
  for _, dir in ipairs({ claudes or default, default, own }) do
    if not vim.list_contains(dirs, dir) then
      table.insert(dirs, dir)
    end
  end
  return dirs
end

--- The lock files of all editors but one.
---@param own? string The path of this editor's
---@return claudecode.Lock[]
function M.others(own)
  local found = {}
  for _, dir in ipairs(M.dirs()) do
    for name in vim.fs.dir(dir) do
      local path = vim.fs.joinpath(dir, name)
      if name:find("%.lock$") and path ~= own and #found < M.max_files then
        table.insert(found, (M.read(path)))
      end
    end
  end
  return found
end

--- Whether Claude, started in a folder, takes a lock file's folder for it: Claude resolves its own,
--- and not those of the file.
---@param folder string
---@param cwd string
local function contains(folder, cwd)
  folder = vim.fs.normalize(folder, { expand_env = false })
  local real = vim.uv.fs_realpath(cwd) or cwd
  return folder == real or vim.startswith(real, folder == "/" and folder or folder .. "/")
end

---@param lock claudecode.Lock
---@param cwd string
function M.matches(lock, cwd)
  return lock.problem == nil and vim.iter(lock.folders):any(function(folder)
    return contains(folder, cwd)
  end)
end

return M
