--- Which tools may run: the option `permissions`, checked and made what the daemon decides by.
---
--- A rule that is wrong must not open what it was to close: it denies whatever it may have meant,
--- and the user is told when the options are read.

local sorted = require("claudecode.sorted")

local M = {}

local actions = { "allow", "ask", "deny" }

local known_keys = { tool = true, path = true, action = true }

---@class (exact) mcp_tools.Permission A rule as the user writes it in a list
---@field tool string A pattern for the names of tools as clients see them; `*` is any text
---@field path? string|string[] Patterns for absolute paths
---@field action "allow"|"ask"|"deny"

---@alias mcp_tools.Permissions table<string|integer, "allow"|"ask"|"deny"|mcp_tools.Permission>

---@class (exact) mcp_tools.Rule A rule as the daemon is told of it, see PROTOCOL.md
---@field tool string
---@field paths? string[]
---@field action "allow"|"ask"|"deny"
---@field label string
---@field invalid? string What is wrong with it

--- The patterns that a pattern for paths means: with the home folder in it, and with the folder
--- that it begins with where that really is.
---@param pattern string
---@return string[]
local function absolute(pattern)
  local path = require("claudecode.paths").expand_home(pattern)
  if vim.fn.has("win32") == 1 then
    path = path:gsub("\\", "/")
  end
  local fixed, rest = path:match("^([^*?]*/)(.*)$")
  local real = fixed and fixed ~= "/" and vim.uv.fs_realpath(fixed)
  local second = real and (real .. "/" .. rest):gsub("//+", "/") or path
  return second == path and { path } or { path, second }
end

--- What is wrong with a pattern for paths.
---@return string?
local function path_problem(pattern)
  if type(pattern) ~= "string" or pattern == "" then
    return "path must be a pattern or a list of patterns"
  elseif not (pattern:find("^[/~]") or pattern:find("^%*%*/") or pattern:find("^%a:[/\\]") or pattern == "**") then
    return ("the path %q must begin with /, ~/ or **/"):format(pattern)
  end
  for name in vim.gsplit(pattern, "[/\\]") do
    if name == ".." then
      return ("the path %q must not contain .."):format(pattern)
    elseif name ~= "**" and name:find("**", 1, true) then
      return ("in the path %q, ** must stand alone between slashes"):format(pattern)
    end
  end
end

local function tool_problem(tool)
  if type(tool) ~= "string" or tool == "" then
    return "tool must be the name of a tool or a pattern"
  elseif tool:find("[^%w_.*-]") then
    return ("no tool's name is like %q: a pattern has letters, digits, _ - . and *"):format(tool)
  end
end

local function action_problem(action)
  if not vim.list_contains(actions, action) then
    return ("the action must be one of %s, not %s"):format(table.concat(actions, ", "), vim.inspect(action))
  end
end

local function key_problem(rule)
  for key in sorted(rule) do
    if not known_keys[key] then
      return ("there is no key %s, only tool, path and action"):format(tostring(key))
    end
  end
end

--- Checks a rule. What is wrong with the tool may be about any.
---@param place string
---@param rule any
---@return mcp_tools.Rule
local function read(place, rule)
  if type(rule) ~= "table" then
    return { tool = "*", action = "deny", label = place, invalid = "a rule in the list must be a table" }
  end
  local wrong_tool = tool_problem(rule.tool)
  local patterns = type(rule.path) == "string" and { rule.path } or rule.path
  local problem = wrong_tool or action_problem(rule.action) or key_problem(rule)
  if not problem and patterns ~= nil then
    if type(patterns) ~= "table" or not vim.islist(patterns) or #patterns == 0 then
      problem = "path must be a pattern or a list of patterns"
    else
      problem = vim.iter(patterns):map(path_problem):next()
    end
  end
  if problem then
    return { tool = wrong_tool and "*" or rule.tool, action = "deny", label = place, invalid = problem }
  end
  local label = ("the rule %q"):format(rule.tool)
  if patterns then
    label = ("%s for %s"):format(label, table.concat(patterns, ", "))
  end
  return {
    tool = rule.tool,
    paths = patterns and vim.iter(patterns):map(absolute):flatten():totable() or nil,
    action = rule.action,
    label = label,
  }
end

---@return mcp_tools.Rule[]
local function read_all()
  local permissions = require("mcp-tools.config").get("permissions")
  if permissions == nil then
    return {}
  elseif type(permissions) ~= "table" then
    return { { tool = "*", action = "deny", label = "permissions", invalid = "it must be a table" } }
  end
  local rules = {}
  for key, value in sorted(permissions) do
    if type(key) == "string" then
      table.insert(rules, read(("permissions[%q]"):format(key), { tool = key, action = value }))
    else
      table.insert(rules, read(("permissions[%s]"):format(tostring(key)), value))
    end
  end
  return rules
end

--- The rules of the option, in any order. If they cannot even be read, nothing may run.
---@return mcp_tools.Rule[]
function M.rules()
  local ok, rules = pcall(read_all)
  return ok and rules or { { tool = "*", action = "deny", label = "permissions", invalid = tostring(rules) } }
end

--- Tells the user of rules that are wrong, once the options are read.
function M.check()
  for _, rule in ipairs(M.rules()) do
    if rule.invalid then
      local what = rule.tool == "*" and "every tool" or rule.tool
      local text = ("%s: %s. Until that is corrected, %s is denied"):format(rule.label, rule.invalid, what)
      require("claudecode.log").tools("error", text)
    end
  end
end

--- What the daemon is told, see PROTOCOL.md.
---@return { rules: mcp_tools.Rule[], audit?: { file: string, max_size: integer } }
function M.message()
  local config = require("mcp-tools.config")
  local audit
  if config.get("audit.enabled") then
    local file = config.get("audit.file") or vim.fs.joinpath(vim.fn.stdpath("state"), "claudecode", "audit.jsonl")
    local paths = require("claudecode.paths")
    audit = { file = paths.absolute(paths.expand_home(file)), max_size = config.get("audit.max_size") }
  end
  return { rules = M.rules(), audit = audit }
end

return M
