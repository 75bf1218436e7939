--- Rules that are about no tool: a name that was misspelled closes nothing.
---
--- A tool counts that is registered, that is switched off, or that a category would give. Plugins register
--- theirs whenever they are loaded, so a rule is told of only when it is about none for a while, and once.

local closest = require("claudecode.options.closest")
local names = require("mcp-tools.permissions.names")

local M = {}

--- How long after the last change of the tools. Milliseconds.
M.wait_ms = 5000

local told = {} ---@type table<string, true> by label
local cancel = function() end

--- The tool by which the daemon shows the rest of long results.
local servers_own = "result_rest"

--- The registered names of the tools that are there, and of those that could be.
---@return string[] there
---@return fun(): string[] could_be
local function known()
  local there = vim.list_extend({ servers_own }, require("mcp-tools.registry").names())
  return there, require("mcp-tools.categories").every_name
end

--- Whether a rule is about a category that lacks what it needs: nobody knows its tools then.
---@param rule mcp_tools.Rule
local function is_about_lacking(rule)
  local categories = require("mcp-tools.categories")
  local bare = rule.tool:gsub("^" .. names.prefix, "")
  return vim.iter(categories.names):any(function(category)
    return vim.startswith(bare, category .. "_") and categories.lacks(category) ~= nil
  end)
end

---@param rule mcp_tools.Rule
---@param registered string[]
local function is_about(rule, registered)
  return vim.iter(registered):any(function(name)
    return names.mean(rule.tool, name)
  end)
end

--- The rules that are about no tool.
---@param rules mcp_tools.Rule[]
---@return mcp_tools.Rule[]
function M.of(rules)
  local there, could_be = known()
  local others ---@type string[]? loading what is switched off takes a while
  return vim.tbl_filter(function(rule)
    if rule.invalid or rule.tool == "*" or is_about(rule, there) then
      return false
    end
    others = others or could_be()
    return not is_about(rule, others) and not is_about_lacking(rule)
  end, rules)
end

--- What a rule that is about no tool does, and what was perhaps meant.
---@param rule mcp_tools.Rule
---@return string
function M.said(rule)
  local text = ("%s (%s) is about no tool, and does nothing"):format(rule.label, rule.action)
  local bare = rule.tool:gsub("^mcp__.*__", ""):gsub("^" .. names.prefix, ""):gsub("[_*]+$", "")
  if vim.list_contains(require("mcp-tools.categories").names, bare) then
    return ("%s: did you mean %q?"):format(text, ("%s%s_*"):format(names.prefix, bare))
  end
  local there, could_be = known()
  local meant = closest.find(bare, vim.list_extend(there, could_be()))
  return text .. (meant and (": did you mean %q?"):format(names.prefix .. meant) or "")
end

local function tell()
  local new = vim.tbl_filter(function(rule)
    return not told[rule.label]
  end, M.of(require("mcp-tools.permissions").rules()))
  for _, rule in ipairs(new) do
    told[rule.label] = true
  end
  if #new == 1 then
    require("claudecode.log").tools("warn", M.said(new[1]))
  elseif #new > 1 then
    local labels = vim.tbl_map(function(rule)
      return rule.label
    end, new)
    local text = "%d permissions are about no tool (:checkhealth mcp-tools): %s"
    require("claudecode.log").tools("warn", text:format(#new, table.concat(labels, "; ")))
  end
end

--- Tells of those among the rules when nothing has changed for a while.
---@param rules mcp_tools.Rule[]
function M.soon(rules)
  if #rules == 0 then
    return
  end
  cancel()
  cancel = require("claudecode.clock").after(M.wait_ms, tell)
end

return M
