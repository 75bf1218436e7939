--- Whether nvim-dap is there, found out without loading it: who has it loads it when it is needed.

local M = {}

--- What the tools need of nvim-dap. Older ones lack it.
local needed = { "run", "session", "sessions", "clear_breakpoints", "adapters", "listeners" }

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
    or M.package() ~= nil
end

--- The name of the package that has it and that nobody added to the runtimepath yet.
---@return string? name For :packadd
function M.package()
  local file = vim.fn.globpath(vim.o.packpath, "pack/*/opt/*/lua/dap.lua", true, true)[1]
  return file and file:match("([^/\\]+)[/\\]lua[/\\]dap%.lua$")
end

--- Why a nvim-dap that is loaded cannot be used.
---@param dap any
---@return string? reason
function M.lacks(dap)
  for _, name in ipairs(needed) do
    if type(dap) ~= "table" or dap[name] == nil then
      return ("nvim-dap is too old, or another module is called dap: it has no %s"):format(name)
    end
  end
end

--- Why there are no tools.
---@return string? reason
function M.problem()
  if package.loaded.dap ~= nil then
    return M.lacks(package.loaded.dap)
  end
  return not M.is_here() and "nvim-dap is not installed" or nil
end

return M
