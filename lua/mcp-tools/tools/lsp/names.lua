--- How files, and kinds of symbols, are named to clients.

local M = {}

--- A path relative to the working folder if it is below that, else as it is.
---@param path string Absolute
---@return string
function M.path(path)
  local folder = vim.fn.getcwd()
  folder = vim.endswith(folder, "/") and folder or folder .. "/"
  return vim.startswith(path, folder) and path:sub(#folder + 1) or path
end

--- The path of a file's URI, another URI as it is.
---@param uri string
---@return string
function M.of_uri(uri)
  local ok, path = pcall(vim.uri_to_fname, uri)
  return ok and path or uri
end

---@param buf integer
---@return string
function M.buffer(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return name == "" and ("buffer %d (without a name)"):format(buf) or M.path(name)
end

--- The name of a SymbolKind, a number that has none as it is.
---@param kind integer
---@return string|integer
function M.symbol_kind(kind)
  return vim.lsp.protocol.SymbolKind[kind] or kind
end

return M
