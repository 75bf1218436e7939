--- Edits of servers, shown to the user who takes them or does not.

local edits = require("mcp-tools.tools.lsp.edits")
local judged = require("mcp-tools.tools.lsp.judged")
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

--- Tells what went wrong: as an error, unless there is an outcome already.
local function tell(call, into, err)
  if M.is_none(into) then
    call:fail(err)
  end
  call:note(err)
end

--- Has the user look at the edit of a server. The servers' time does not count here: users take theirs.
---@param call mcp_tools.WaitingCall
---@param into mcp_tools.lsp.Outcome What came of it is added here
---@param client vim.lsp.Client
---@param edit lsp.WorkspaceEdit
---@param ticks table<integer, integer>
function M.edit(call, into, client, edit, ticks)
  local denied, asks = judged.edit(call, edit)
  if denied then
    return tell(call, into, denied)
  end
  local changes = edits.changes(call, client, edit, ticks)
  if #changes == 0 then
    return
  end
  -- Where a rule asks, the user is asked whatever the option `edits` says.
  local context = asks and setmetatable({ direct = false }, { __index = call.ctx }) or call.ctx
  local outcome, err = call:await(function(resume)
    require("mcp-tools.review").propose(changes, context, resume, call.name)
  end)
  join(into, outcome)
  if err then
    tell(call, into, err)
  end
end

return M
