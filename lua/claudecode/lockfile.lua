--- What the lock file needs from the editor. The daemon writes it and keeps it in place.

local paths = require("claudecode.paths")

local M = {}

local function find_lock_dir()
  local config = vim.env.CLAUDE_CONFIG_DIR or ""
  if vim.trim(config) == "" then
    config = "~/.claude"
  end
  return paths.join(paths.absolute(paths.expand_home(config)), "ide")
end

--- The folder of the lock files. Found once, as Claude reads its environment once; later changes of
--- the working directory move no relative one.
M.lock_dir = find_lock_dir()

--- The folders Claude may be started in to find this editor: the working directory, then
--- those of the language servers, each once. Symbolic links are left to the daemon.
---@return string[]
function M.get_workspace_folders()
  local folders = { vim.fn.getcwd() }
  for _, client in ipairs(require("claudecode.lsp").clients()) do
    for _, folder in ipairs(client.workspace_folders or {}) do
      local ok, path = pcall(vim.uri_to_fname, folder.uri)
      if ok and not vim.list_contains(folders, path) then
        table.insert(folders, path)
      end
    end
  end
  return folders
end

--- Makes a token from the system's random source, or raises: never from anything that could be guessed.
---@return string token 32 hexadecimal digits
function M.generate_auth_token()
  local bytes, err = vim.uv.random(16)
  if not bytes then
    error("no random bytes for the authentication token: " .. err, 0)
  end
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

--- Reads a lock file.
---@param path? string
---@return table?
function M.read(path)
  local file = io.open(path or "")
  if not file then
    return
  end
  local ok, lock = pcall(vim.json.decode, file:read("*a"))
  file:close()
  return ok and type(lock) == "table" and lock or nil
end

-- For those who run a server of their own; see claudecode.own_lock.
for _, name in ipairs({ "create", "remove", "update", "get_auth_token" }) do
  M[name] = function(...)
    return require("claudecode.own_lock")[name](...)
  end
end

local group = "ClaudeCodeWorkspace"

--- Reports the folders whenever they became others.
---@param changed fun(folders: string[])
function M.watch(changed)
  local known = M.get_workspace_folders()
  vim.api.nvim_create_autocmd({ "DirChanged", "LspAttach", "LspDetach" }, {
    group = vim.api.nvim_create_augroup(group, { clear = true }),
    desc = "Keeps the folders of Claude Code's lock file current",
    callback = vim.schedule_wrap(function()
      local folders = M.get_workspace_folders()
      if not vim.deep_equal(known, folders) then
        known = folders
        changed(folders)
      end
    end),
  })
end

--- Removes a lock file that a daemon of this editor left, unless it is another editor's by now.
---@param path? string
function M.release(path)
  local lock = M.read(path)
  if lock and lock.pid == vim.fn.getpid() then
    os.remove(path --[[@as string]])
  end
end

function M.unwatch()
  vim.api.nvim_create_augroup(group, { clear = true })
end

return M
