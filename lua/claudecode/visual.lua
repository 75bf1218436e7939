--- The Visual area while the user selects it, for commands that are mapped with |<Cmd>|.

local M = {}

local function is_active()
  return vim.api.nvim_get_mode().mode:find("^[vV\22]") ~= nil
end

--- Its lines, if there is one.
---@return integer? first From 1
---@return integer? last
function M.lines()
  if not is_active() then
    return nil
  end
  local a, b = vim.fn.line("v"), vim.fn.line(".")
  return math.min(a, b), math.max(a, b)
end

--- Ends Visual mode.
function M.leave()
  if is_active() then
    vim.cmd.normal({ "\27", bang = true })
  end
end

return M
