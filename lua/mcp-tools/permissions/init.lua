--- Which tools may run: what the daemon decides by, and what the user is told of it.
---
--- A rule that is wrong must not open what it was to close: it denies whatever it may have meant,
--- and the user is told when the options are read.

local M = {}

local function read_all()
  local config = require("mcp-tools.config")
  if config.untouched() then
    return {}
  end
  local reader = require("mcp-tools.permissions.rules")
  if config.unread then
    return { reader.invalid("setup()", config.unread) }
  end
  return reader.read(config.get("permissions"))
end

--- The rules of the option, in any order. If they cannot even be read, nothing may run.
---@return mcp_tools.Rule[]
function M.rules()
  local ok, rules = pcall(read_all)
  return ok and rules or { { tool = "*", action = "deny", label = "permissions", invalid = tostring(rules) } }
end

--- What a rule that is wrong does.
---@param rule mcp_tools.Rule
---@return string
function M.wrong(rule)
  local what = rule.tool == "*" and "every tool" or rule.tool
  return ("%s: %s. Until that is corrected, %s is denied"):format(rule.label, rule.invalid, what)
end

--- Tells the user of rules that are wrong, once the options are read.
function M.check()
  local wrong = {}
  for _, rule in ipairs(M.rules()) do
    table.insert(wrong, rule.invalid and M.wrong(rule))
  end
  if #wrong == 1 then
    require("claudecode.log").tools("error", wrong[1])
  elseif #wrong > 1 then
    -- One after the other, only the last would be seen.
    local text = "%d permissions are wrong (:checkhealth mcp-tools):\n%s"
    require("claudecode.log").tools("error", text:format(#wrong, table.concat(wrong, "\n")))
  end
end

--- What the daemon is told, see PROTOCOL.md. By then the tools are there, so that soon after the user is
--- told of rules that are about none.
---@return { rules: mcp_tools.Rule[], audit?: { file: string, max_size: integer } }
function M.message()
  local config = require("mcp-tools.config")
  local audit
  if not config.untouched() and config.get("audit.enabled") then
    local file = config.get("audit.file") or vim.fs.joinpath(vim.fn.stdpath("state"), "claudecode", "audit.jsonl")
    local paths = require("claudecode.paths")
    audit = { file = paths.absolute(paths.expand_home(file)), max_size = config.get("audit.max_size") }
  end
  local rules = M.rules()
  if #rules > 0 then
    require("mcp-tools.permissions.unmatched").soon(rules)
  end
  return { rules = rules, audit = audit }
end

return M
