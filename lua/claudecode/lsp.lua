--- Neovim's language server clients, without loading what serves them.

local M = {}

--- The clients that fit the filter. To load vim.lsp only to hear that it has none would cost time
--- now and, because it then takes part in it, at the exit.
---@param filter? table As for vim.lsp.get_clients()
---@return vim.lsp.Client[]
function M.clients(filter)
  local lsp = package.loaded["vim.lsp"]
  return lsp and lsp.get_clients(filter) or {}
end

return M
