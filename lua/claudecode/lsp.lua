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

--- Has claudecode.language_servers follow the clients from now on. It is loaded with the first of them.
function M.follow()
  vim.api.nvim_create_autocmd({ "LspAttach", "LspDetach", "LspNotify" }, {
    group = vim.api.nvim_create_augroup("ClaudeCodeLanguageServers", {}),
    callback = function(event)
      require("claudecode.language_servers").on[event.event](event)
    end,
  })
  if #M.clients() > 0 then
    require("claudecode.language_servers")
  end
end

local is_0_11 = vim.fn.has("nvim-0.11") == 1

--- Calls a method of a client, which took itself as an argument only later.
function M.call(client, name, ...)
  if is_0_11 then
    return client[name](client, ...)
  end
  return client[name](...)
end

return M
