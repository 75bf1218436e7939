--- Commands that servers run. The edits that one asks the editor for meanwhile are kept, for the
--- user to review, instead of being applied.

local edits = require("mcp-tools.tools.lsp.edits")
local servers = require("mcp-tools.tools.lsp.servers")

local M = {}

local apply = "workspace/applyEdit"

local running = {} ---@type table<integer, true> clients

--- Keeps what the server asks the editor to apply. It is told that it was: it learns of texts from
--- what it is sent of them, not from this, and some give up otherwise.
---@param client vim.lsp.Client
---@return { edit: lsp.WorkspaceEdit, ticks: table<integer, integer> }[] kept
---@return fun() stop
local function keep(client)
  local kept, own = {}, rawget(client.handlers, apply)
  client.handlers[apply] = function(_, params)
    table.insert(kept, { edit = params.edit, ticks = edits.ticks() })
    return { applied = true }
  end
  running[client.id] = true
  return kept, function()
    client.handlers[apply] = own
    running[client.id] = nil
  end
end

--- Runs a command.
---@param call mcp_tools.WaitingCall
---@param client vim.lsp.Client
---@param buf integer
---@param command lsp.Command
---@return { edit: lsp.WorkspaceEdit, ticks: table<integer, integer> }[] edits That it asked for
function M.run(call, client, buf, command)
  local known = vim.tbl_get(client.server_capabilities, "executeCommandProvider", "commands") or {}
  if not vim.list_contains(known, command.command) then
    call:fail(
      ("%s leaves the command %s to its editor, where it cannot be reviewed"):format(client.name, command.command)
    )
  elseif running[client.id] then
    call:fail(client.name .. " is running another command: ask again")
  end
  local kept, stop = keep(client)
  local forget = call:on_stop(stop)
  local params = { command = command.command, arguments = command.arguments }
  local _, problems = servers.try(call, "workspace/executeCommand", buf, { { client = client, params = params } })
  stop()
  forget()
  if #problems > 0 and #kept == 0 then
    call:fail(table.concat(problems, "\n"))
  end
  for _, problem in ipairs(problems) do
    call:note(problem)
  end
  return kept
end

return M
