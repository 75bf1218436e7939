--- Options of mcp-tools; read with dotted paths.

local M = {}

M.defaults = {
  tools = { dap = false, diagnostics = false, lsp = false, undo = false, test = false, interview = false },
  integrations = { opencode = false, ampcode = false },
  bridge = { port = 0, log_level = "info", tool_timeout = 300000 },
  debug = false,
}

M.options = vim.deepcopy(M.defaults)

local given = {} ---@type table

---@param options? table
function M.setup(options)
  given = options or {}
  M.options = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), given)
end

local function find(options, path)
  return vim.tbl_get(options, unpack(vim.split(path, ".", { plain = true })))
end

---@param path string For example "bridge.port"
---@return any value nil if a part of the path is missing
function M.get(path)
  return find(M.options, path)
end

--- What the user wrote, where a default must not win over what is said elsewhere.
---@param path string
---@return any value nil if it was left to the default
function M.given(path)
  return find(given, path)
end

return M
