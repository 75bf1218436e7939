--- :ClaudeCodePermissions: which rules hold, and what is always allowed, which can be taken back here.

local permissions = require("mcp-tools.permissions")
local store = require("mcp-tools.permissions.store")
local unmatched = require("mcp-tools.permissions.unmatched")

local M = {}

--- The entry that each line of the view is about.
local entries = {} ---@type table<integer, mcp_tools.Always>

---@return string[]
local function rules()
  local all = permissions.rules()
  local idle = unmatched.of(all)
  local lines = vim.tbl_map(function(rule)
    if rule.invalid then
      return "  " .. permissions.wrong(rule)
    elseif vim.list_contains(idle, rule) then
      return "  " .. unmatched.said(rule)
    end
    return ("  %s: %s"):format(rule.label, rule.action)
  end, all)
  return #lines > 0 and lines or { "  There are none: tools are allowed unless they ask by themselves." }
end

---@return string[]
local function lines()
  entries = {}
  local all = vim.list_extend({ "Rules" }, rules())
  vim.list_extend(all, { "", "Always allowed" })
  local list, err = store.list()
  for _, entry in ipairs(list) do
    local client = store.is_name(entry.client) and entry.client or "a client without a name, for which it is void"
    table.insert(
      all,
      ("  %s for %s, because of %s, since %s"):format(entry.tool, client, entry.rule, tostring(entry.since))
    )
    entries[#all] = entry
  end
  if #list == 0 then
    table.insert(all, err and "  " .. err or "  Nothing.")
  end
  return all
end

local function told(err)
  if err then
    require("claudecode.log").error("permissions", err)
  end
end

--- Takes back everything that was allowed, for good or until a client leaves.
function M.revoke_all()
  told(store.remove())
  require("claudecode.daemon").notify("revoke")
end

--- The command: with `!`, takes everything back.
---@param given { bang: boolean }
function M.command(given)
  if given.bang then
    return M.revoke_all()
  end
  local render
  render = require("claudecode.live_view").open({
    title = "Claude Code permissions",
    footer = "d: take back   q: close",
    filetype = "claudecode-permissions",
    lines = lines,
    keys = {
      d = function(line)
        if entries[line] then
          told(store.remove(entries[line]))
          render()
        end
      end,
    },
  })
end

return M
