--- Lua functions as MCP tools: the public entry point.

local M = {}

--- What options can enable, in the order in which it is loaded: modules of these names below
--- mcp-tools.tools and mcp-tools.integrations.
local parts = {
  tools = { "dap", "diagnostics", "lsp", "undo", "test", "interview" },
  integrations = { "opencode", "ampcode" },
}

local setup_done = false

local function config()
  return require("mcp-tools.config")
end

---@param kind "tools"|"integrations"
---@param start fun(module: any)
local function load(kind, start)
  for _, name in ipairs(parts[kind]) do
    if config().get(kind .. "." .. name) then
      local ok, err = pcall(function()
        start(require(("mcp-tools.%s.%s"):format(kind, name)))
      end)
      if not ok then
        vim.notify(("[mcp-tools] %s.%s is not available: %s"):format(kind, name, err), vim.log.levels.WARN)
      end
    end
  end
end

--- Merges the options and loads what they enable. Only the first call counts. Starts no server.
---@param options? table
function M.setup(options)
  if setup_done then
    return
  end
  setup_done = true
  config().setup(options)
  require("mcp-tools.registry").changed()
  load("tools", function() end)
  load("integrations", function(integration)
    integration.setup()
  end)
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

--- Starts the server without waiting for it; the options on_ready and on_stop are called.
---@param options? { port?: integer } Default: the option bridge.port
function M.start(options)
  require("mcp-tools.bridge").start({
    port = options and options.port or config().get("bridge.port"),
    on_ready = config().get("on_ready"),
    on_stop = config().get("on_stop"),
  })
end

--- Stops the server.
function M.stop()
  require("mcp-tools.bridge").stop()
end

--- Whether there is a server, listening already or not.
---@return boolean
function M.is_running()
  return require("mcp-tools.bridge").is_running()
end

---@return integer? port nil until it listens
function M.get_port()
  return require("mcp-tools.bridge").get_port()
end

return M
