--- A provider that the user wrote: a table of functions, used as it is.

local M = {}

local required = { "setup", "open", "close", "simple_toggle", "focus_toggle", "get_active_bufnr", "is_available" }

--- Why a table is no provider that could be used now.
---@param provider table
---@return string? problem
function M.problem(provider)
  for _, name in ipairs(required) do
    if not vim.is_callable(provider[name]) then
      return ("the provider lacks the function %s"):format(name)
    end
  end
  local ok, available = pcall(provider.is_available)
  if not ok then
    return "its is_available() failed: " .. tostring(available)
  elseif not available then
    return "the provider is not available"
  end
end

return M
