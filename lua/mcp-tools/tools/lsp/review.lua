--- Edits of servers, shown to the user who takes them or does not.

local edits = require("mcp-tools.tools.lsp.edits")
local names = require("mcp-tools.tools.lsp.names")

local M = {}

---@class (exact) mcp_tools.lsp.Outcome Of a review: paths
---@field accepted string[]
---@field rejected string[]
---@field failed? string[] That could not be changed

--- Joins outcomes, with relative paths.
---@param into mcp_tools.lsp.Outcome
---@param outcome mcp_tools.ReviewOutcome
local function join(into, outcome)
  for _, list in ipairs({ "accepted", "rejected", "failed" }) do
    for _, path in ipairs(outcome[list] or {}) do
      path, into[list] = names.path(path), into[list] or {}
      if not vim.list_contains(into[list], path) then
        table.insert(into[list], path)
      end
    end
  end
end

---@return mcp_tools.lsp.Outcome
function M.none()
  return { accepted = {}, rejected = {} }
end

---@param outcome mcp_tools.lsp.Outcome
function M.is_none(outcome)
  return #outcome.accepted + #outcome.rejected + #(outcome.failed or {}) == 0
end

--- The context of the call, with which the user is asked in any case if a rule of theirs is about paths:
--- a server may change files that the call did not name, which no rule was asked about.
---@param call mcp_tools.lsp.Call
---@return mcp_tools.Context
local function context(call)
  local about_paths = vim.iter(require("mcp-tools.permissions").rules()):any(function(rule)
    return rule.paths ~= nil
  end)
  return about_paths and setmetatable({ direct = false }, { __index = call.ctx }) or call.ctx
end

--- Has the user look at the edit of a server. The servers' time does not count here: users take theirs.
---@param call mcp_tools.lsp.Call
---@param into mcp_tools.lsp.Outcome What came of it is added here
---@param client vim.lsp.Client
---@param edit lsp.WorkspaceEdit
---@param ticks table<integer, integer>
function M.edit(call, into, client, edit, ticks)
  local changes = edits.changes(call, client, edit, ticks)
  if #changes == 0 then
    return
  end
  local outcome, err = call:await(function(resume)
    require("mcp-tools.review").propose(changes, context(call), resume, call.name)
  end)
  join(into, outcome)
  if err and M.is_none(into) then
    call:fail(err)
  elseif err then
    call:note(err)
  end
end

return M
