--- What is to be debugged: the configuration that a client gives, or one of the user's by its name with
--- what the client gives in place of its keys.

local paths = require("claudecode.paths")

local M = {}

local api = vim.api

--- Configurations of the user that are listed.
M.max_listed = 50

--- Values that nvim-dap asks the user for, and stops the editor to do so.
local asking = { "%${command:[%w_]+}", "%${input:[%w_]+}" }

--- The values of variables, as far as they depend on where the user is.
---@param buf integer
---@return table<string, fun(): string?>
local function variables(buf)
  local function file(modifiers)
    return function()
      local name = api.nvim_buf_get_name(buf)
      return name ~= "" and vim.fn.fnamemodify(name, modifiers) or nil
    end
  end
  return {
    file = file(":p"),
    fileBasename = file(":t"),
    fileBasenameNoExtension = file(":t:r"),
    fileDirname = file(":p:h"),
    fileExtname = file(":e"),
    fileDirnameBasename = file(":p:h:t"),
    relativeFile = file(":."),
    relativeFileDirname = file(":.:h"),
    workspaceFolder = vim.fn.getcwd,
    workspaceFolderBasename = function()
      return vim.fs.basename(vim.fn.getcwd())
    end,
  }
end

--- Puts the values of variables into every text.
local function expand(call, value, known)
  if type(value) == "table" then
    local copy = vim.islist(value) and {} or vim.empty_dict()
    for key, item in pairs(value) do
      copy[key] = expand(call, item, known)
    end
    return copy
  elseif type(value) ~= "string" then
    return value
  end
  local function put(name)
    local get = known[name]
    local text = get and get()
    if get and not text then
      call:fail(("There is no current file for ${%s}"):format(name))
    end
    return text
  end
  return (value:gsub("%${(%w+)}", put))
end

--- The first value that nvim-dap would ask the user for.
---@return string? key
local function find_question(value, key)
  if type(value) == "function" or type(value) == "thread" then
    return key
  elseif type(value) == "string" then
    return vim.iter(asking):any(function(pattern)
      return value:find(pattern) ~= nil
    end) and key or nil
  elseif type(value) ~= "table" then
    return nil
  end
  for name, item in pairs(value) do
    local found = find_question(item, key == "" and tostring(name) or key)
    if found then
      return found
    end
  end
end

--- What nvim-dap reads of launch.json. It does not know all that editors take in one.
---@return table[] configurations
---@return string? err
local function launch_json()
  local there, reader = pcall(require, "dap.ext.vscode")
  if not there then
    return {}
  end
  local decode = reader.json_decode
  reader.json_decode = function(text, ...)
    local ok, value = pcall(decode, text, ...)
    return ok and value or decode(require("mcp-tools.tools.dap.jsonc").plain(text), ...)
  end
  local ok, found = pcall(reader.getconfigs)
  reader.json_decode = decode
  return ok and found or {}, not ok and require("claudecode.strict").reason(found) or nil
end

--- The user's configurations: those of launch.json, then those of nvim-dap.
---@param dap table
---@return table[] configurations
---@return string? err Why launch.json cannot be read
function M.all(dap)
  local found, err = launch_json()
  local all = vim.list_extend({}, found)
  for _, list in require("claudecode.sorted")(dap.configurations or {}) do
    vim.list_extend(all, type(list) == "table" and list or {})
  end
  return all, err
end

--- What a client is told of them.
---@param dap table
---@return table[]
function M.list(dap)
  local listed = {}
  for _, config in ipairs((M.all(dap))) do
    if #listed < M.max_listed and type(config.name) == "string" then
      table.insert(listed, { name = config.name, type = config.type, request = config.request })
    end
  end
  return listed
end

local function named(call, dap, name)
  local all, err = M.all(dap)
  for _, config in ipairs(all) do
    if config.name == name then
      local plain = {}
      for key, value in pairs(config) do
        plain[key] = value
      end
      return plain
    end
  end
  if err then
    call:fail("Failed to start debug session: launch.json cannot be read: " .. err)
  end
end

--- The configuration that a call means.
---@param call mcp_tools.WaitingCall
---@param dap table
---@param given table What the client gives of it
---@return table
function M.resolve(call, dap, given)
  local config = given
  if not given.type or not given.request then
    config = named(call, dap, given.name)
    if not config then
      local lacks = given.type and "request" or "type"
      call:fail(("Missing required argument: %s; no configuration is called %q"):format(lacks, given.name))
    end
    config = vim.tbl_extend("force", config, given)
  end
  for _, key in ipairs({ "program", "cwd" }) do
    config[key] = type(config[key]) == "string" and paths.expand_home(config[key]) or config[key]
  end
  local question = find_question(config, "")
  if question then
    local why = "Failed to start debug session: nvim-dap would ask the user for %s; give it as an argument"
    call:fail(why:format(question))
  end
  return expand(call, config, variables(call.ctx.buf))
end

return M
