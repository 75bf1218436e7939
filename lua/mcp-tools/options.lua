--- Every option of mcp-tools: its default, the rule it keeps, and what is made of those that are given.

local dotted = require("claudecode.options.dotted")
local rules = require("claudecode.options.rules")

local M = {}

---@class (exact) mcp_tools.Option
---@field path string
---@field default any
---@field rule claudecode.Rule
---@field open? boolean The keys in it are the user's

--- Which of a category's tools are on; see mcp-tools.categories.
local choice = {
  expected = "a boolean, a list of names, or a map of names to booleans",
  holds = function(value)
    if type(value) ~= "table" then
      return type(value) == "boolean"
    end
    local wanted = vim.islist(value) and "string" or "boolean"
    return vim.iter(pairs(value)):all(function(_, item)
      return type(item) == wanted
    end)
  end,
}

local anything = {
  expected = "a table of rules",
  holds = function()
    return true
  end,
}

local function category(name)
  return { path = "tools." .. name, default = false, rule = choice, open = true }
end

--- Every option. A table comes before what is in it.
---@type mcp_tools.Option[]
M.list = {
  { path = "tools", default = {}, rule = rules.table },
  category("dap"),
  category("diagnostics"),
  category("lsp"),
  category("undo"),
  category("test"),
  category("interview"),
  category("buffers"),
  category("exec"),
  { path = "integrations", default = {}, rule = rules.table },
  { path = "integrations.opencode", default = false, rule = rules.boolean },
  { path = "integrations.ampcode", default = false, rule = rules.boolean },
  { path = "bridge", default = {}, rule = rules.table },
  { path = "bridge.command", rule = rules.optional(rules.command) },
  { path = "bridge.port", default = 0, rule = rules.not_negative },
  { path = "bridge.log_level", default = "info", rule = rules.string },
  { path = "bridge.log_file", rule = rules.string_or_nil },
  { path = "bridge.tool_timeout", default = 300000, rule = rules.not_negative },
  { path = "bridge.result_limit", default = 48 * 1024, rule = rules.not_negative },
  -- What is wrong with it denies what it may have meant, so nothing of it is left out.
  { path = "permissions", rule = anything, open = true },
  { path = "edits", default = "review", rule = rules.one_of("review", "direct") },
  { path = "audit", default = {}, rule = rules.table },
  { path = "audit.enabled", default = false, rule = rules.boolean },
  { path = "audit.file", rule = rules.string_or_nil },
  { path = "audit.max_size", default = 5 * 1024 * 1024, rule = rules.count },
  { path = "debug", default = false, rule = rules.boolean },
  { path = "on_ready", rule = rules.optional(rules.callable) },
  { path = "on_stop", rule = rules.optional(rules.callable) },
}

---@return table
function M.defaults()
  local all = {}
  for _, option in ipairs(M.list) do
    dotted.set(all, option.path, vim.deepcopy(option.default))
  end
  return all
end

local function warn(message)
  require("claudecode.log").tools("warn", message)
end

--- The options below a path, by their last names.
---@param path string Empty for all of them
---@return table<string, mcp_tools.Option>
local function below(path)
  local found = {}
  for _, option in ipairs(M.list) do
    local parent, name = dotted.split(option.path)
    if parent == path then
      found[name] = option
    end
  end
  return found
end

--- Copies what can be used of a table of options, and warns of the rest.
local function read(options, path)
  local known, kept = below(path), {}
  for name, value in require("claudecode.sorted")(options) do
    local place = path == "" and tostring(name) or ("%s.%s"):format(path, name)
    local option = known[name]
    if not option then
      local meant = require("claudecode.options.closest").find(tostring(name), vim.tbl_keys(known))
      warn(("Unknown option %s%s"):format(place, meant and (", did you mean %s?"):format(meant) or ""))
    elseif not option.rule.holds(value) then
      warn(("%s must be %s"):format(place, option.rule.expected))
    elseif type(value) == "table" and not option.open and next(below(place)) then
      kept[name] = read(value, place)
    else
      kept[name] = value
    end
  end
  return kept
end

--- What can be used of the user's options.
---@param options table
---@return table
function M.usable(options)
  return read(options, "")
end

--- The defaults, with what the user has differently.
---@param given table
---@return table
function M.merged(given)
  local all = M.defaults()
  for _, option in ipairs(M.list) do
    local value = dotted.get(given, option.path)
    if value ~= nil and (option.open or not next(below(option.path))) then
      dotted.set(all, option.path, vim.deepcopy(value))
    end
  end
  return all
end

return M
