--- The User events of a diff.

local M = {}

--- An event's handlers are the user's: what they raise is theirs too.
local function fire(pattern, data)
  require("claudecode.strict").try(
    vim.api.nvim_exec_autocmds,
    "User",
    { pattern = pattern, modeline = false, data = data }
  )
end

---@param diff claudecode.Diff
function M.opened(diff)
  local proposal, layout, place = diff.proposal, diff.layout, diff.place
  fire("ClaudeCodeDiffOpened", {
    tab_name = proposal.tab_name,
    file_path = proposal.old_path,
    new_file_path = proposal.new_path,
    is_new_file = diff.is_new,
    diff_window = layout.win,
    target_window = layout.target or place.anchor,
    terminal_window = diff.terminal and diff.terminal.win or nil,
    tab_number = place.new_tab and place.tab or nil,
  })
end

---@param diff claudecode.Diff
---@param reason string
function M.closed(diff, reason)
  fire("ClaudeCodeDiffClosed", {
    tab_name = diff.proposal.tab_name,
    file_path = diff.proposal.old_path,
    reason = reason,
  })
end

return M
