--- Claude's working folder.

local M = {}

local uv = vim.uv

---@class (exact) claudecode.CwdContext
---@field file? string The current buffer's file
---@field file_dir? string Its folder
---@field cwd string The editor's

--- What the working folder may depend on.
---@return claudecode.CwdContext
function M.context()
  local name = vim.api.nvim_buf_get_name(0)
  local file = vim.bo.buftype == "" and name ~= "" and name or nil
  return { file = file, file_dir = file and vim.fs.dirname(file), cwd = vim.fn.getcwd() }
end

--- The root of the work tree that a folder is in, without links in it.
---@param dir string
---@return string? root
function M.git_root(dir)
  local root = vim.fs.root(uv.fs_realpath(dir) or dir, ".git")
  return root and (uv.fs_realpath(root) or root)
end

local function warn(message)
  require("claudecode.log").warn("terminal", message)
end

--- A folder as the user writes it, with `~` and variables; nil and a warning if there is none.
---@param value any
---@param source string
---@return string? dir
local function folder(value, source)
  if type(value) ~= "string" or value == "" then
    return nil
  end
  local dir = vim.fn.fnamemodify(vim.fs.normalize(value), ":p"):gsub("(.)/$", "%1")
  local stat = uv.fs_stat(dir)
  if stat and stat.type == "directory" then
    return dir
  end
  warn(("%s is no folder, so it is not Claude's: %s"):format(source, value))
end

local function provided(provider, context)
  if not provider then
    return nil
  end
  local ok, dir = pcall(provider, context)
  if not ok then
    warn("terminal.cwd_provider failed: " .. tostring(dir))
  end
  return ok and dir or nil
end

--- Where Claude starts: what `cwd_provider` returns, else `cwd`, else the root of the git
--- repository if `git_repo_cwd` asks for it.
---@param config { cwd_provider?: fun(context: claudecode.CwdContext): string?, cwd?: string, git_repo_cwd?: boolean }
---@param context? claudecode.CwdContext
---@return string? dir nil for the editor's own
function M.resolve(config, context)
  context = context or M.context()
  return folder(provided(config.cwd_provider, context), "What terminal.cwd_provider returned")
    or folder(config.cwd, "terminal.cwd")
    or config.git_repo_cwd and M.git_root(context.file_dir or context.cwd)
    or nil
end

return M
