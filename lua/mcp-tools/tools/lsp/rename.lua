--- Renames a symbol wherever it is used, in an edit that the user reviews.

local edits = require("mcp-tools.tools.lsp.edits")
local review = require("mcp-tools.tools.lsp.review")
local servers = require("mcp-tools.tools.lsp.servers")
local target = require("mcp-tools.tools.lsp.target")

local M = {}

local method = "textDocument/rename"

local function is_empty(edit)
  return next(edit.changes or {}) == nil and next(edit.documentChanges or {}) == nil
end

--- The first edit that a server makes. Edits of two cannot be joined, so one is asked after another.
local function first_edit(call, buf, place, new_name)
  local problems = {}
  for _, client in ipairs(servers.able(call, method, buf)) do
    local ticks, params = edits.ticks(), target.params(client, buf, place)
    params.newName = new_name
    local answers, its = servers.try(call, method, buf, { { client = client, params = params } })
    vim.list_extend(problems, its)
    if answers[1] and not is_empty(answers[1].result) then
      for _, problem in ipairs(problems) do
        call:note(problem)
      end
      return client, answers[1].result, ticks
    end
  end
  call:fail(#problems > 0 and table.concat(problems, "\n") or "There is nothing to rename at this place")
end

---@param call mcp_tools.WaitingCall
function M.run(call, args)
  local new_name = target.text(call, args, "new_name")
  if not new_name then
    call:fail("new_name is missing")
  end
  local buf = target.buffer(call, args)
  local place = target.place(call, buf, args)
  local client, edit, ticks = first_edit(call, buf, place, new_name)
  local outcome = review.none()
  review.edit(call, outcome, client, edit, ticks)
  if review.is_none(outcome) then
    call:fail("The rename changes nothing")
  end
  return outcome
end

return M
