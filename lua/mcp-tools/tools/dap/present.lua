--- Whether nvim-dap is there, found out without loading it: who has it loads it when it is needed.

local M = {}

--- What plugin managers know of that is not on the runtimepath yet.
local function is_lazy()
  local config = package.loaded["lazy.core.config"]
  return type(config) == "table" and vim.tbl_get(config, "plugins", "nvim-dap") ~= nil
end

---@return boolean
function M.is_here()
  return package.loaded.dap ~= nil
    or package.preload.dap ~= nil
    or #vim.api.nvim_get_runtime_file("lua/dap.lua", false) > 0
    or package.searchpath("dap", package.path) ~= nil
    or is_lazy()
end

--- Why there are no tools.
---@return string? reason
function M.problem()
  return not M.is_here() and "nvim-dap is not installed" or nil
end

return M
