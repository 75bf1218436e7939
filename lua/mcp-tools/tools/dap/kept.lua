--- Files whose text a rule of the user's keeps from a client. The daemon judges the files that a call
--- names; a program may pause in any other. In doubt the text is kept: a rule that allows part of what
--- another closes opens nothing here.

local names = require("mcp-tools.permissions.names")

local M = {}

--- In a pattern, any number of folders.
local any_folders = "**"

local function split(path)
  return vim.split(path:lower(), "/", { plain = true, trimempty = true })
end

--- Whether one name matches: * is any text and ? any one character.
local function is_named(pattern, name)
  local lua = vim.pesc(pattern):gsub("%%%*", ".*"):gsub("%%%?", "[%%z\1-\127\194-\244][\128-\191]*")
  return name:find("^" .. lua .. "$") ~= nil
end

--- Whether a path is what a pattern means, or in a folder that it means.
---@param pattern string[]
---@param path string[]
---@param p integer
---@param n integer
local function is_meant(pattern, path, p, n)
  while pattern[p] and pattern[p] ~= any_folders do
    if not path[n] or not is_named(pattern[p], path[n]) then
      return false
    end
    p, n = p + 1, n + 1
  end
  if not pattern[p] then
    return true
  end
  for from = n, #path + 1 do
    if is_meant(pattern, path, p + 1, from) then
      return true
    end
  end
  return false
end

--- Whether a rule about paths is about a file.
---@param rule mcp_tools.Rule
---@param path string
---@return boolean
function M.is_about(rule, path)
  local absolute = require("mcp-tools.files").absolute(path)
  local forms = { split(absolute), split(require("mcp-tools.permissions.paths").real(absolute)) }
  return vim.iter(rule.paths or {}):any(function(pattern)
    return vim.iter(forms):any(function(form)
      return is_meant(split(pattern), form, 1, 1)
    end)
  end)
end

--- Why a tool must not tell the text of a file.
---@param tool string
---@param path string
---@return string? reason
function M.by_rule(tool, path)
  for _, rule in ipairs(require("mcp-tools.permissions").rules()) do
    if rule.action ~= "allow" and rule.paths and names.mean(rule.tool, tool) and M.is_about(rule, path) then
      return ("The text of %s is withheld (%s)"):format(vim.fn.fnamemodify(path, ":~:."), rule.label)
    end
  end
end

return M
