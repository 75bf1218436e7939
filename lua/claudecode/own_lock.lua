--- The lock file of a server that is not the daemon: what claudecode.lockfile offers to those who run one.

local lockfile = require("claudecode.lockfile")

local M = {}

--- Bounds of a token's length, as those of the server.
local min_token, max_token = 10, 500

local function lock_path(port)
  return ("%s/%d.lock"):format(lockfile.lock_dir, port)
end

---@return string? err
local function check_port(port)
  if type(port) ~= "number" or port % 1 ~= 0 then
    return "Invalid port number"
  elseif port < 1 or port > 65535 then
    return ("Port number out of valid range (1-65535): %d"):format(port)
  end
end

---@return string? err
local function check_token(token)
  if type(token) ~= "string" then
    return "Authentication token must be a string, got " .. type(token)
  elseif #token < min_token then
    return ("Authentication token too short (minimum %d characters)"):format(min_token)
  elseif #token > max_token then
    return ("Authentication token too long (maximum %d characters)"):format(max_token)
  end
end

--- Writes a file that is never seen half written, for the user alone.
---@return string? err
local function replace(path, text)
  local temporary = ("%s.tmp.%d.%d"):format(path, vim.fn.getpid(), vim.uv.hrtime())
  local file, err = vim.uv.fs_open(temporary, "wx", tonumber("600", 8))
  if not file then
    return err
  end
  local written = 0
  while not err and written < #text do
    local n
    n, err = vim.uv.fs_write(file, text:sub(written + 1))
    written = written + (n or 0)
  end
  local _, unclosed = vim.uv.fs_close(file)
  err = err or unclosed or select(2, vim.uv.fs_rename(temporary, path))
  if err then
    vim.uv.fs_unlink(temporary)
  end
  return err
end

--- Writes a lock file that leads Claude to a server on that port.
---@param port integer
---@param auth_token? string Made if it is absent
---@return boolean ok
---@return string path Or what is wrong
---@return string? auth_token
function M.create(port, auth_token)
  if auth_token == nil then
    local ok, made = pcall(lockfile.generate_auth_token)
    if not ok then
      return false, made
    end
    auth_token = made
  end
  local wrong = check_port(port) or check_token(auth_token)
  if wrong then
    return false, wrong
  end
  local made, err = pcall(vim.fn.mkdir, lockfile.lock_dir, "p", tonumber("700", 8))
  if not made then
    return false, "Failed to create lock directory: " .. err
  end
  vim.uv.fs_chmod(lockfile.lock_dir, tonumber("700", 8)) -- somebody else's folder may still be writable
  local text = vim.json.encode({
    pid = vim.fn.getpid(),
    workspaceFolders = vim.tbl_map(function(folder)
      return vim.uv.fs_realpath(folder) or folder
    end, lockfile.get_workspace_folders()),
    ideName = "Neovim",
    transport = "ws",
    authToken = auth_token,
  })
  err = replace(lock_path(port), text)
  if err then
    return false, "Failed to write lock file: " .. err
  end
  return true, lock_path(port), auth_token
end

---@param port integer
---@return boolean ok
---@return string? err
function M.remove(port)
  local wrong = check_port(port)
  if wrong then
    return false, wrong
  end
  local ok, err = vim.uv.fs_unlink(lock_path(port))
  return ok == true, not ok and "Failed to remove lock file: " .. err or nil
end

--- Writes the lock file anew, with another token.
---@param port integer
---@return boolean ok
---@return string path Or what is wrong
---@return string? auth_token
function M.update(port)
  return M.create(port)
end

--- The token in the lock file of a port.
---@param port integer
---@return boolean ok
---@return string? auth_token
---@return string? err
function M.get_auth_token(port)
  local wrong = check_port(port)
  if wrong then
    return false, nil, wrong
  end
  local lock = lockfile.read(lock_path(port))
  if not lock then
    return false, nil, "No lock file can be read: " .. lock_path(port)
  elseif type(lock.authToken) ~= "string" then
    return false, nil, "No authentication token in " .. lock_path(port)
  end
  return true, lock.authToken
end

return M
