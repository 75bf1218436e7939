--- Rules about the files that a server's edit would change, which are known only once it has answered.

local names = require("mcp-tools.tools.lsp.names")
local prefix = require("mcp-tools.permissions.names").prefix
local verdict = require("mcp-tools.permissions.verdict")

local M = {}

--- Files of a folder that are looked at when it is to be renamed or deleted, and denied ones that the
--- client is told of.
M.max_files, M.max_told = 10000, 5

---@param uri? string
---@return string? path nil if it is no file's
local function path_of(uri)
  return uri and vim.startswith(uri, "file://") and vim.uri_to_fname(uri) or nil
end

---@param path string
---@return string
local function plain(path)
  return vim.fs.normalize(path, { expand_env = false })
end

--- The files and folders that an edit names, in its order.
---@param edit lsp.WorkspaceEdit
---@return string[] paths
---@return { old: string, new: string }[] renamed
local function named_by(edit)
  local named, renamed = {}, {}
  local function add(uri)
    local path = path_of(uri)
    table.insert(named, path)
    return path
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    local old, new = add(change.oldUri), add(change.newUri)
    table.insert(renamed, old and new and { old = plain(old), new = plain(new) } or nil)
    add(change.uri)
    add(vim.tbl_get(change, "textDocument", "uri"))
  end
  for uri in vim.spairs(edit.documentChanges and {} or edit.changes or {}) do
    add(uri)
  end
  return named, renamed
end

--- Calls f with each place that a file goes to, one renaming after the other.
---@param path string
---@param renamed { old: string, new: string }[]
---@param f fun(path: string)
local function follow(path, renamed, f)
  path = plain(path)
  for _, one in ipairs(renamed) do
    if vim.startswith(path, one.old .. "/") then
      path = one.new .. path:sub(#one.old + 1)
      f(path)
    end
  end
end

--- Calls f with each file in a folder.
---@param call mcp_tools.WaitingCall
---@param folder string
---@param f fun(path: string)
local function each_in(call, folder, f)
  local count = 0
  for name, kind in vim.fs.dir(folder, { depth = math.huge }) do
    count = count + 1
    if count > M.max_files then
      call:fail(
        ("%s%s was denied: a rule of the user's is about paths, and more than %d are in %s"):format(
          prefix,
          call.name,
          M.max_files,
          names.path(folder)
        )
      )
    elseif kind ~= "directory" then
      f(vim.fs.joinpath(folder, name))
    end
    call:pause()
  end
end

--- What is said of files that are denied.
---@param call mcp_tools.WaitingCall
---@param denied { path: string, label: string }[]
local function denial(call, denied)
  local told = {}
  for i, one in ipairs(denied) do
    if i > M.max_told then
      table.insert(told, ("and %d more"):format(#denied - M.max_told))
      break
    end
    table.insert(told, ("%s by %s"):format(names.path(one.path), one.label))
  end
  local text = "%s%s was denied, because the edit is about files that are: %s. Nothing of it was made. "
    .. "Only the user can change that rule, in the option permissions of mcp-tools"
  return text:format(prefix, call.name, table.concat(told, ", "))
end

--- What rules say of the files of an edit, before anything of it is read or shown.
---@param call mcp_tools.WaitingCall
---@param edit lsp.WorkspaceEdit
---@return string? denied Why it must not be made
---@return boolean asks Whether the user must see it in any case
function M.edit(call, edit)
  local judge = verdict.of(call.name, call.ctx.client or "")
  if not judge then
    return nil, false
  end
  local denied, asks, seen = {}, false, {}
  local function look(path)
    if seen[path] then
      return
    end
    seen[path] = true
    local action, rule = judge(path)
    asks = asks or action == "ask"
    if action == "deny" then
      table.insert(denied, { path = path, label = assert(rule).label })
    end
  end
  local named, renamed = named_by(edit)
  for _, path in ipairs(named) do
    look(path)
    if vim.fn.isdirectory(path) == 1 then
      each_in(call, path, function(inner)
        look(inner)
        follow(inner, renamed, look)
      end)
    end
    call:pause()
  end
  return #denied > 0 and denial(call, denied) or nil, asks
end

return M
