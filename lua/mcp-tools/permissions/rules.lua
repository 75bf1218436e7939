--- Reads the rules of the option `permissions`. One that is wrong denies whatever it may have meant.

local sorted = require("claudecode.sorted")

local M = {}

local actions = { "allow", "ask", "deny" }

local known_keys = { tool = true, path = true, action = true }

--- Names in the option that are more likely a misunderstanding than a tool, unless an action follows.
local words = { allow = true, ask = true, deny = true, tool = true, path = true, action = true, rules = true }

--- What the daemon takes: rules, patterns for paths in all of them, and bytes of a pattern.
M.max_rules, M.max_patterns, M.max_bytes = 512, 1024, 1024

---@class (exact) mcp_tools.Permission A rule as the user writes it in a list
---@field tool string A pattern for the names of tools; `*` is any text
---@field path? string|string[] Patterns for absolute paths
---@field action "allow"|"ask"|"deny"

---@alias mcp_tools.Permissions table<string|integer, "allow"|"ask"|"deny"|mcp_tools.Permission>

---@class (exact) mcp_tools.Rule A rule as the daemon is told of it, see PROTOCOL.md
---@field tool string
---@field paths? string[]
---@field action "allow"|"ask"|"deny"
---@field label string
---@field invalid? string What is wrong with it

--- A rule that denies.
---@param place string
---@param problem string
---@param tool? string Default: every tool
---@return mcp_tools.Rule
function M.invalid(place, problem, tool)
  return { tool = tool or "*", action = "deny", label = place, invalid = problem }
end

--- The patterns that a pattern for paths means: with the home folder in it, and with what it begins
--- with, up to the first of `*` and `?`, where that really is.
---@param pattern string
---@return string[]
local function absolute(pattern)
  local path = require("claudecode.paths").expand_home(pattern)
  if vim.fn.has("win32") == 1 then
    path = path:gsub("\\", "/")
  end
  local fixed, rest = path, ""
  if path:find("[*?]") or vim.endswith(path, "/") then
    fixed, rest = path:match("^([^*?]*)(/.*)$")
  end
  if (fixed or "") == "" then
    return { path }
  end
  local second = (require("mcp-tools.permissions.paths").real(fixed) .. rest):gsub("//+", "/")
  return second == path and { path } or { path, second }
end

--- One of some characters, as other programs write it, and what that is at most made into. A folder may
--- be called so, too.
local class, max_readings = "%[([!^]?%]?[^/%]]*)%]", 32

--- A class of characters that has a name, within another.
local named_class = "(%[[^/%]]*)%[:%a+:%]"

--- What stands for a class of characters: each of them, or any one if they are not spelled out.
---@param text string
---@return string[]
local function characters(text)
  if text == "" then
    return { "[]" }
  end
  return text:find("^[!^]") and { "?" } or text:find("[-*?]") and { "?" } or vim.fn.split(text, "\\zs")
end

--- Whether a class made a name of a pattern into one that no file has.
local function has_dots(reading, pattern)
  local names = vim.split(pattern, "/", { plain = true })
  for i, name in ipairs(vim.split(reading, "/", { plain = true })) do
    if (name == "." or name == "..") and name ~= names[i] then
      return true
    end
  end
  return false
end

--- The patterns that a pattern means if its brackets are classes of characters.
---@param pattern string
---@return string[]
local function without_classes(pattern)
  while pattern:find(named_class) do
    pattern = pattern:gsub(named_class, "%1-")
  end
  local all, at = { "" }, 1
  while at do
    local first, last, text = pattern:find(class, at)
    local plain, longer = pattern:sub(at, (first or 0) - 1), {}
    local choices = text and characters(text) or { "" }
    if #all * #choices > max_readings then
      choices = { "?" }
    end
    for _, beginning in ipairs(all) do
      for _, choice in ipairs(choices) do
        table.insert(longer, beginning .. plain .. choice)
      end
    end
    all, at = longer, last and last + 1
  end
  return vim.tbl_filter(function(reading)
    return not has_dots(reading, pattern)
  end, all)
end

--- The patterns that a rule's pattern means. Brackets stand for themselves, and, where that opens
--- nothing, for one of the characters in them as well.
local function patterns_of(pattern, action)
  local all = absolute(pattern)
  if action ~= "allow" and pattern:find(class) then
    for _, reading in ipairs(without_classes(pattern)) do
      vim.list_extend(all, absolute(reading))
    end
  end
  return all
end

local function begins_well(pattern)
  return pattern == "~"
    or pattern == "**"
    or vim.iter({ "^/", "^~/", "^%*%*/", "^%a:[/\\]" }):any(function(beginning)
      return pattern:find(beginning) ~= nil
    end)
end

--- What is wrong with a pattern for paths.
---@return string?
local function path_problem(pattern)
  if type(pattern) ~= "string" or pattern == "" then
    return "path must be a pattern or a list of patterns"
  elseif #pattern > M.max_bytes then
    return ("a path has more than %d bytes"):format(M.max_bytes)
  elseif not begins_well(pattern) then
    return ("the path %q must begin with /, ~/ or **/"):format(pattern)
  elseif pattern:find("{[^}]*,[^}]*}") then
    return ("in the path %q, { } give no choice: write a list of patterns"):format(pattern)
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
  elseif #tool > M.max_bytes then
    return ("the name of a tool has more than %d bytes"):format(M.max_bytes)
  elseif tool:find("[^%w_.*-]") then
    return ("no tool's name is like %q: a pattern has letters, digits, _ - . and *"):format(tool)
  end
end

local function action_problem(action)
  if not vim.list_contains(actions, action) then
    local shown = vim.inspect(action, { newline = " ", indent = "" })
    return ("the action must be one of %s, not %s"):format(table.concat(actions, ", "), shown)
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
    return M.invalid(place, "a rule in the list must be a table")
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
    return M.invalid(place, problem, not wrong_tool and rule.tool or nil)
  end
  local label = ("the rule %q"):format(rule.tool)
  if patterns then
    label = ("%s for %s"):format(label, table.concat(patterns, ", "))
  end
  local paths = patterns
    and vim
      .iter(patterns)
      :map(function(pattern)
        return patterns_of(pattern, rule.action)
      end)
      :flatten()
      :totable()
  return { tool = rule.tool, paths = paths, action = rule.action, label = label }
end

--- Checks a name with what stands after it. If that is no action, the name may be none of a tool's.
---@param name string
---@param action any
---@return mcp_tools.Rule
local function read_named(name, action)
  local place = ("permissions[%q]"):format(name)
  local problem = action_problem(action)
  if not problem then
    return read(place, { tool = name, action = action })
  end
  local is_rule = type(action) == "table" and (action.action ~= nil or action.path ~= nil)
  if words[name] or type(action) == "table" and not is_rule then
    return M.invalid(place, problem .. ". A rule is a tool's name and an action, or a table in a list")
  elseif is_rule then
    problem = "a rule with a path is a table in the list, with the key tool"
  end
  return M.invalid(place, problem, not tool_problem(name) and name or nil)
end

--- The rules of the option, in any order. What is wrong with all is one rule.
---@param permissions any
---@return mcp_tools.Rule[]
function M.read(permissions)
  if permissions == nil then
    return {}
  elseif type(permissions) ~= "table" then
    return { M.invalid("permissions", "it must be a table") }
  end
  local rules, patterns = {}, 0
  for key, value in sorted(permissions) do
    local rule = type(key) == "string" and read_named(key, value)
      or read(("permissions[%s]"):format(tostring(key)), value)
    table.insert(rules, rule)
    patterns = patterns + #(rule.paths or {})
  end
  if #rules > M.max_rules then
    return { M.invalid("permissions", ("there are more than %d rules"):format(M.max_rules)) }
  elseif patterns > M.max_patterns then
    return { M.invalid("permissions", ("there are more than %d patterns for paths"):format(M.max_patterns)) }
  end
  return rules
end

return M
