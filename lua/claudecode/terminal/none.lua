--- No terminal: Claude is started elsewhere, and connects from there.

---@class claudecode.TerminalProvider
local M = {}

function M.is_available()
  return true
end

function M.get_active_bufnr() end

for _, name in ipairs({ "setup", "open", "close", "simple_toggle", "focus_toggle", "ensure_visible" }) do
  M[name] = function() end
end

return M
