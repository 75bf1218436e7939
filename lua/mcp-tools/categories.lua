--- The tools that come along, by category. The module mcp-tools.tools.<category> returns a list
--- of tools, or a function that gives it, and registers nothing itself: what is switched on is
--- registered here.

local closest = require("claudecode.options.closest")
local registry = require("mcp-tools.registry")

local M = {}

--- In the order in which they are listed.
M.names = { "diagnostics", "lsp", "buffers", "undo", "test", "interview", "exec", "dap" }

--- Categories that need another plugin: a module that says what is missing.
local needs = { dap = "mcp-tools.tools.dap.present" }

local held = {} ---@type table<string, mcp_tools.Tool> what was switched off, by name

local function warn(message)
  require("claudecode.log").tools("warn", message)
end

---@param what string
---@param name string
---@param names string[]
local function unknown(what, name, names)
  local meant = closest.find(name, names)
  return ("%s %q%s"):format(what, name, meant and (", did you mean %q?"):format(meant) or "")
end

--- Why a category has no tools.
---@param category string
---@return string? reason
function M.lacks(category)
  return needs[category] and require(needs[category]).problem()
end

---@return mcp_tools.Tool[]? tools nil with a reason
---@return string? reason
local function load(category)
  local lacking = M.lacks(category)
  if lacking then
    return nil, lacking
  end
  local ok, tools = pcall(require, "mcp-tools.tools." .. category)
  if ok and type(tools) == "function" then
    ok, tools = pcall(tools)
  end
  if not ok then
    return nil, "not available: " .. tostring(tools)
  elseif type(tools) ~= "table" or not vim.islist(tools) then
    return nil, "not available: the module returns no list of tools"
  end
  return tools
end

local function names_of(tools)
  return vim.tbl_map(function(tool)
    return tool.name
  end, tools)
end

local function unprefixed(name)
  return (name:gsub("^nvim_", ""))
end

--- The tools that a choice means: true is all of them, a list those in it, a map those that are
--- true in it or, if none is, all but those that are false.
---@param chosen boolean|string[]|table<string, boolean>
---@return table<string, boolean>? on by name, nil for all
local function read(chosen)
  if type(chosen) ~= "table" then
    return nil
  end
  local named = {}
  for key, value in pairs(chosen) do
    if type(key) == "number" then
      key, value = value, true
    end
    named[unprefixed(tostring(key))] = value == true
  end
  return named
end

local function includes(named, name)
  if not named then
    return true
  elseif named[name] ~= nil then
    return named[name]
  end
  return not vim.list_contains(vim.tbl_values(named), true)
end

--- Registers a tool unless there is one of its name: the user's own wins.
local function add(place, tool)
  if registry.has(tool.name) then
    return
  end
  local ok, err = pcall(registry.register, tool)
  if not ok then
    warn(("%s: %s"):format(place, err))
  end
end

--- Registers what is chosen of a category.
---@param category string
---@param chosen boolean|string[]|table<string, boolean>
local function start(category, chosen)
  local place = "tools." .. category
  local tools, reason = load(category)
  if not tools then
    return warn(("%s: %s"):format(place, reason))
  end
  local named = read(chosen)
  for name in require("claudecode.sorted")(named or {}) do
    if not vim.list_contains(names_of(tools), name) then
      warn(unknown(place .. ": there is no tool", name, names_of(tools)))
    end
  end
  for _, tool in ipairs(tools) do
    if includes(named, tool.name) then
      add(place, tool)
    end
  end
end

--- Registers what the option `tools` switches on.
---@param options table<string, boolean|string[]|table<string, boolean>>
function M.setup(options)
  for _, category in ipairs(M.names) do
    local chosen = options[category]
    if type(chosen) == "table" and next(chosen) or chosen == true then
      start(category, chosen)
    end
  end
end

--- The tool of that name in the categories, and where it is.
---@return mcp_tools.Tool?
local function find(name)
  local all = {}
  for _, category in ipairs(M.names) do
    for _, tool in ipairs(load(category) or {}) do
      if tool.name == name then
        return tool
      end
      table.insert(all, tool.name)
    end
  end
  return nil, unknown("there is no tool", name, vim.list_extend(all, M.names))
end

--- Switches a category or a tool on, also one that disable() switched off. Clients are told.
---@param name string
---@return boolean? ok
---@return string? err
function M.enable(name)
  name = unprefixed(name)
  if vim.list_contains(M.names, name) then
    local tools, reason = load(name)
    if not tools then
      return nil, ("tools.%s: %s"):format(name, reason)
    end
    for _, tool in ipairs(tools) do
      add("tools." .. name, held[tool.name] or tool)
      held[tool.name] = nil
    end
    return true
  elseif registry.has(name) then
    return true
  end
  local tool, reason = held[name], nil
  if not tool then
    tool, reason = find(name)
  end
  if not tool then
    return nil, reason
  end
  held[name] = nil
  add("tools", tool)
  return true
end

--- The names of the tools that come along, switched on or not, and of all that are switched off.
---@return string[]
function M.every_name()
  local all = vim.tbl_keys(held)
  for _, category in ipairs(M.names) do
    vim.list_extend(all, names_of(load(category) or {}))
  end
  return all
end

--- Forgets a tool that is switched off.
---@param name string
function M.forget(name)
  held[name] = nil
end

local function hold(name)
  held[name] = registry.get(name)
  registry.unregister(name)
end

--- Switches a category or a tool off, the user's own too. Calls of it go on. Clients are told.
---@param name string
---@return boolean? ok
---@return string? err
function M.disable(name)
  name = unprefixed(name)
  if registry.has(name) then
    hold(name)
    return true
  elseif not vim.list_contains(M.names, name) then
    if held[name] or find(name) then
      return true
    end
    return nil, unknown("there is no tool", name, vim.list_extend(registry.names(), M.names))
  end
  for _, tool in ipairs(load(name) or {}) do
    if registry.has(tool.name) then
      hold(tool.name)
    end
  end
  return true
end

return M
