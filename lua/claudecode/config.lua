--- Options as they are used: the defaults, the merge, and the complaints. What options there are
--- is claudecode.options.

local options = require("claudecode.options")

local M = {}

local function get(config, path)
  return vim.tbl_get(config, unpack(options.keys(path)))
end

local function set(config, path, value)
  local keys = options.keys(path)
  local last = table.remove(keys)
  for _, key in ipairs(keys) do
    config = config[key]
  end
  config[last] = value
end

---@type claudecode.Config
M.defaults = {}
for _, option in ipairs(options.list) do
  set(M.defaults, option.path, vim.deepcopy(option.default))
end

--- What is wrong with the option, nil if nothing is.
---@param option claudecode.Option
---@return string?
local function problem(config, option)
  local holds, message = option.rule.holds(get(config, option.path))
  if not holds then
    return message or ("%s must be %s"):format(option.path, option.rule.expected)
  end
end

--- Raises what is wrong with the first option that breaks its rule, but for lenient ones.
---@param config table
---@return true
function M.validate(config)
  for _, option in ipairs(options.list) do
    local message = not option.lenient and problem(config, option)
    if message then
      error(message, 0)
    end
  end
  return true
end

local function warn(message)
  require("claudecode.log").warn("config", message)
end

--- Gives lenient options that break their rule their defaults.
local function repair(config)
  for _, option in ipairs(options.list) do
    local message = option.lenient and problem(config, option)
    if message then
      warn(message .. "; the default is used")
      set(config, option.path, vim.deepcopy(option.default))
    end
  end
end

--- The tables of options, by path, with the keys they may have.
---@return table<string, string[]>
local function tables()
  local keys = {} ---@type table<string, string[]>
  local open = {}
  local function add(path)
    local parent, key = path:match("^(.*)%.(.-)$")
    parent = parent or ""
    keys[parent] = keys[parent] or {}
    table.insert(keys[parent], key or path)
  end
  for _, option in ipairs(options.list) do
    add(option.path)
    open[option.path] = option.open
  end
  for _, alias in ipairs(options.aliases) do
    add(alias.path)
  end
  for path in pairs(keys) do
    if open[path] then
      keys[path] = nil
    end
  end
  return keys
end

--- Names what is no option, and what may have been meant.
local function name_unknown(given)
  for parent, known in vim.spairs(tables()) do
    local values = parent == "" and given or get(given, parent)
    for key in require("claudecode.sorted")(type(values) == "table" and not vim.islist(values) and values or {}) do
      if not vim.list_contains(known, key) then
        local prefix = parent == "" and "" or parent .. "."
        local meant = require("claudecode.options.closest").find(tostring(key), known)
        local hint = meant and (", did you mean %s%s?"):format(prefix, meant) or ""
        warn(("Unknown option: %s%s%s"):format(prefix, key, hint))
      end
    end
  end
end

--- Merges the user's options over the defaults; lists are replaced whole. Raises for a value that
--- breaks its rule, and warns of options that do not exist.
---@param given? table
---@return claudecode.Config
function M.apply(given)
  given = given or {}
  local config = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), given)
  M.validate(config)
  for _, alias in ipairs(options.aliases) do
    local value = get(given, alias.path)
    if value ~= nil then
      alias.apply(config, value)
    end
  end
  repair(config)
  name_unknown(given)
  return config
end

return M
