--- Options as they are used: the defaults, the merge, and the complaints. What options there are
--- is claudecode.options.

local options = require("claudecode.options")
local dotted = require("claudecode.options.dotted")

local M = {}

--- Calls a function for each option, in their order.
---@param config table
---@param visit fun(option: claudecode.Option, value: any, parent?: table) parent: what the value is in, if it is there
local function walk(config, visit)
  local tables = { [""] = config }
  for _, option in ipairs(options.list) do
    local parent = tables[option.parent]
    local value = parent and parent[option.name]
    tables[option.path] = type(value) == "table" and value or nil
    visit(option, value, parent)
  end
end

local function default_of(option)
  return type(option.default) == "table" and vim.deepcopy(option.default) or option.default
end

---@return claudecode.Config
function M.make_defaults()
  local config = {}
  local tables = { [""] = config }
  for _, option in ipairs(options.list) do
    local parent, value = tables[option.parent], default_of(option)
    parent[option.name] = value
    tables[option.path] = value
  end
  return config
end

--- `defaults` are made for who asks.
setmetatable(M, {
  __index = function(_, key)
    if key == "defaults" then
      M.defaults = M.make_defaults()
      return M.defaults
    end
  end,
})

--- What is wrong with the option, nil if nothing is.
---@param option claudecode.Option
---@return string?
local function problem(option, value)
  local holds, message = option.rule.holds(value)
  if not holds then
    return message or ("%s must be %s"):format(option.path, option.rule.expected)
  end
end

--- Raises what is wrong with the first option that breaks its rule, but for lenient ones.
---@param config table
---@return true
function M.validate(config)
  walk(config, function(option, value)
    local message = not option.lenient and problem(option, value)
    if message then
      error(message, 0)
    end
  end)
  return true
end

local function warn(message)
  require("claudecode.log").warn("config", message)
end

--- Gives lenient options that break their rule their defaults.
local function repair(config)
  walk(config, function(option, value, parent)
    local message = option.lenient and problem(option, value)
    if message then
      warn(message .. "; the default is used")
      parent[option.name] = default_of(option)
    end
  end)
end

--- The tables of options, by path, with the keys they may have.
---@return table<string, string[]>
local function tables()
  local keys = {} ---@type table<string, string[]>
  local function add(option)
    keys[option.parent] = keys[option.parent] or {}
    table.insert(keys[option.parent], option.name)
  end
  vim.tbl_map(add, options.list)
  vim.tbl_map(add, options.aliases)
  for _, option in ipairs(options.list) do
    if option.open then
      keys[option.path] = nil
    end
  end
  return keys
end

--- Names keys that are no options, and what may have been meant.
---@param unknown table<any, true>
---@param parent string The path of the table in which they are
---@param known string[]
local function name(unknown, parent, known)
  local prefix = parent == "" and "" or parent .. "."
  for key in require("claudecode.sorted")(unknown) do
    local meant = require("claudecode.options.closest").find(tostring(key), known)
    local hint = meant and (", did you mean %s%s?"):format(prefix, meant) or ""
    warn(("Unknown option: %s%s%s"):format(prefix, key, hint))
  end
end

--- Names what is no option.
local function name_unknown(given)
  for parent, known in vim.spairs(tables()) do
    local values = dotted.get(given, parent)
    local unknown = {}
    for key in pairs(type(values) == "table" and not vim.islist(values) and values or {}) do
      unknown[key] = not vim.list_contains(known, key) or nil
    end
    if next(unknown) ~= nil then
      name(unknown, parent, known)
    end
  end
end

--- Merges the user's options over the defaults; lists are replaced whole. Raises for a value that
--- breaks its rule, and warns of options that do not exist.
---@param given? table
---@return claudecode.Config
function M.apply(given)
  given = given or {}
  local config = vim.tbl_deep_extend("force", M.make_defaults(), given)
  M.validate(config)
  for _, alias in ipairs(options.aliases) do
    local value = dotted.get(given, alias.path)
    if value ~= nil then
      alias.apply(config, value)
    end
  end
  repair(config)
  name_unknown(given)
  return config
end

return M
