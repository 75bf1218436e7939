--- Options of mcp-tools; read with dotted paths.

local M = {}

M.defaults = {
  tools = { dap = false, diagnostics = false, lsp = false, undo = false, test = false, interview = false },
  integrations = { opencode = false, ampcode = false },
  bridge = { port = 0, log_level = "info", tool_timeout = 300000 },
  debug = false,
}

M.options = vim.deepcopy(M.defaults)

---@param options? table
function M.setup(options)
  M.options = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), options or {})
end

---@param path string For example "bridge.port"
---@return any value nil if a part of the path is missing
function M.get(path)
  return vim.tbl_get(M.options, unpack(vim.split(path, ".", { plain = true })))
end

return M
