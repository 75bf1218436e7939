--- Lua functions as MCP tools: the public entry point.

local M = {}

local setup_done = false

--- Merges the options. Only the first call counts.
---@param options? table
function M.setup(options)
  if not setup_done then
    setup_done = true
    require("mcp-tools.config").setup(options)
  end
end

--- Adds a tool, or replaces the one of that name. Works before setup().
---@param tool mcp_tools.Tool
function M.register(tool)
  require("mcp-tools.registry").register(tool)
end

--- Removes a tool; an unknown name is no error.
---@param name string
function M.unregister(name)
  require("mcp-tools.registry").unregister(name)
end

---@return table<string, { name: string, description: string, args: table }>
function M.list_tools()
  return require("mcp-tools.registry").list()
end

return M
