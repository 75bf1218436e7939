--- What the rules say of a file that no argument of a call names: one that the call turned out to be
--- about. Of the files that a call names the daemon judges, by the same rules in the same order.

local names = require("mcp-tools.permissions.names")
local paths = require("mcp-tools.permissions.paths")

local M = {}

---@alias mcp_tools.Judge fun(path: string): "allow"|"ask"|"deny", mcp_tools.Rule? nil: no rule says anything else

local strictness = { allow = 1, ask = 2, deny = 3 }

--- In a pattern, any number of folders.
local any_folders = "**"

---@param path string
---@return string[]
local function split(path)
  return vim.tbl_filter(function(name)
    return name ~= "." and name ~= ""
  end, vim.split(path, "/", { plain = true }))
end

local any_text, any_character = ("*"):byte(), ("?"):byte()

--- Where the character ends that begins in a name; of what is none, each byte is one.
local function end_of(name, at)
  return at + vim.str_utf_end(name, at)
end

--- Whether one name matches: * is any text and ? any one character.
local function is_named(pattern, name)
  local p, n = 1, 1
  local star, from
  while n <= #name do
    local wanted = pattern:byte(p)
    if wanted == any_text then
      star, from, p = p, n, p + 1
    elseif wanted == any_character then
      p, n = p + 1, end_of(name, n) + 1
    elseif wanted == name:byte(n) then
      p, n = p + 1, n + 1
    elseif star then
      from = end_of(name, from) + 1
      p, n = star + 1, from
    else
      return false
    end
  end
  return pattern:find("^%**$", p) ~= nil
end

--- Whether a whole path matches. Of several ** only the last that was reached can be wrong about how
--- much it stands for.
---@param pattern string[]
---@param path string[]
local function is_meant(pattern, path)
  local p, n = 1, 1
  local star, from
  while n <= #path do
    if pattern[p] == any_folders then
      star, from, p = p, n, p + 1
    elseif pattern[p] and is_named(pattern[p], path[n]) then
      p, n = p + 1, n + 1
    elseif star then
      from = from + 1
      p, n = star + 1, from
    else
      return false
    end
  end
  while pattern[p] == any_folders do
    p = p + 1
  end
  return p > #pattern
end

---@class (exact) mcp_tools.Pattern
---@field exact string[]
---@field folded string[] In small letters
---@field within string[] Those, with all that is in a folder that they mean

---@param text string
---@return mcp_tools.Pattern
local function compile(text)
  local exact = split(text)
  if vim.endswith(text, "/") then
    table.insert(exact, any_folders)
  end
  local folded = vim.tbl_map(vim.fn.tolower, exact)
  return { exact = exact, folded = folded, within = vim.list_extend(vim.list_slice(folded), { any_folders }) }
end

--- How many bytes of a pattern for tools stand for themselves.
local function literal(pattern)
  return (pattern:find("*", 1, true) or #pattern + 1) - 1
end

---@class (exact) mcp_tools.RuleInOrder
---@field rule mcp_tools.Rule
---@field patterns? mcp_tools.Pattern[]
---@field rank integer[] The greater goes first

---@param rules mcp_tools.Rule[]
---@return mcp_tools.RuleInOrder[]
local function in_order(rules)
  local all = {}
  for i, rule in ipairs(rules) do
    local rank = { rule.invalid and 1 or 0, rule.paths and 1 or 0, literal(rule.tool), strictness[rule.action], -i }
    table.insert(all, { rule = rule, patterns = rule.paths and vim.tbl_map(compile, rule.paths), rank = rank })
  end
  table.sort(all, function(a, b)
    for i, value in ipairs(a.rank) do
      if value ~= b.rank[i] then
        return value > b.rank[i]
      end
    end
    return false
  end)
  return all
end

--- The first rule that means the tool and a path, in one reading of both.
---@param ordered mcp_tools.RuleInOrder[]
---@param is_about fun(pattern: string): boolean
---@param reading "exact"|"folded"|"within"
---@param path string[]
---@return mcp_tools.Rule?
local function first(ordered, is_about, reading, path)
  for _, one in ipairs(ordered) do
    local is_for = not one.patterns
      or vim.iter(one.patterns):any(function(pattern)
        return is_meant(pattern[reading], path)
      end)
    if is_for and is_about(one.rule.tool) then
      return one.rule
    end
  end
end

--- By which patterns a rule means a tool: under the name that the client sees, or under the other name
--- alone, which only makes it stricter. One that has no more of that than the prefix is about the
--- endpoint, and not about the tool.
---@param tool string
---@param client string
---@return fun(pattern: string): boolean seen
---@return fun(pattern: string): boolean other
local function readings_of(tool, client)
  local is_ide = vim.startswith(client, "client_")
  local seen, other = names.prefix .. tool, tool
  if is_ide then
    seen, other = other, seen
  end
  local function by_seen(pattern)
    return names.matches(pattern, seen)
  end
  return by_seen,
    function(pattern)
      local is_vague = is_ide and literal(pattern) <= #names.prefix
      return not is_vague and names.matches(pattern, other) and not by_seen(pattern)
    end
end

--- Who judges the files that a call turns out to be about. There is nobody if no rule about paths is
--- about the tool: the call was judged as a whole.
---@param tool string
---@param client string Its id
---@return mcp_tools.Judge?
function M.of(tool, client)
  local by_seen, by_other = readings_of(tool, client)
  local ordered = in_order(vim.tbl_filter(function(rule)
    return by_seen(rule.tool) or by_other(rule.tool)
  end, require("mcp-tools.permissions").rules()))
  if not vim.iter(ordered):any(function(one)
    return one.patterns ~= nil
  end) then
    return nil
  end
  return function(path)
    local action, decisive = "allow", nil
    local function consider(reading, its_names)
      local rule = first(ordered, by_seen, reading, its_names)
      local other = first(ordered, by_other, reading, its_names)
      if other and (not rule or strictness[other.action] > strictness[rule.action]) then
        rule = other
      end
      if rule and strictness[rule.action] > strictness[action] then
        action, decisive = rule.action, rule
      end
    end
    for _, form in ipairs(paths.forms(path)) do
      consider("exact", split(form))
      consider("folded", split(vim.fn.tolower(form)))
      consider("within", split(vim.fn.tolower(form)))
    end
    return action, decisive
  end
end

return M
