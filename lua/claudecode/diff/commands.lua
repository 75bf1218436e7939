--- What the user commands about diffs do.

local diff = require("claudecode.diff")

local M = {}

---@param command vim.api.keyset.create_user_command.command_args
local function range(command)
  return command.range > 0 and { command.line1, command.line2 } or nil
end

function M.accept(command)
  diff.accept_current_diff(range(command))
end

function M.deny(command)
  diff.deny_current_diff(range(command))
end

function M.close_all()
  diff.close_all_by_user()
end

return M
