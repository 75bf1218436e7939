--- Lua functions as MCP tools: the public entry point.

local M = {}

--- The integrations that options can enable, modules of these names below
--- mcp-tools.integrations, in the order in which they are loaded.
local integrations = { "opencode", "ampcode" }

local setup_done = false
local given ---@type any What the options were, in the call that counts

local function config()
  return require("mcp-tools.config")
end

local function integrate()
  for _, name in ipairs(integrations) do
    if config().get("integrations." .. name) then
      local ok, err = pcall(function()
        require("mcp-tools.integrations." .. name).setup()
      end)
      if not ok then
        require("claudecode.log").tools("warn", ("integrations.%s is not available: %s"):format(name, err))
      end
    end
  end
end

--- Says of a call of setup() that does not count what it does not do.
local function late(options)
  if type(options) ~= "table" or vim.deep_equal(options, given) then
    return
  elseif options.permissions ~= nil then
    local text = "setup() was called before, so the permissions that it is given now do not hold: put them in one call"
    require("claudecode.log").tools("error", text)
  elseif next(options) ~= nil then
    require("claudecode.log").tools("warn", "setup() was called before, so what it is given now is not read")
  end
end

--- Merges the options and loads what they enable. Only the first call counts. Starts no server.
---@param options? table
function M.setup(options)
  if setup_done then
    return late(options)
  end
  -- What cannot be read closes every tool, of a server that runs too.
  require("mcp-tools.registry").changed()
  config().setup(options)
  setup_done, given = true, options
  require("mcp-tools.permissions").check()
  require("mcp-tools.categories").setup(config().get("tools"))
  integrate()
end

--- Adds a tool, or replaces the one of that name. Works before setup().
---@param tool mcp_tools.Tool
function M.register(tool)
  require("mcp-tools.registry").register(tool)
end

--- Removes a tool, switched on or off; an unknown name is no error.
---@param name string
function M.unregister(name)
  require("mcp-tools.registry").unregister(name)
  require("mcp-tools.categories").forget(name)
end

--- Switches tools on, by the name of a category or of a tool. Clients are told.
---@param name string
---@return boolean? ok
---@return string? err
function M.enable(name)
  return require("mcp-tools.categories").enable(name)
end

--- Switches tools off, by the name of a category or of a tool, until enable(). Clients are told.
---@param name string
---@return boolean? ok
---@return string? err
function M.disable(name)
  return require("mcp-tools.categories").disable(name)
end

---@return table<string, { name: string, description: string, args: table }>
function M.list_tools()
  return require("mcp-tools.registry").list()
end

--- Starts the server without waiting for it; the options on_ready and on_stop are called.
---@param options? { port?: integer } Default: the option bridge.port, unless port_range says which
function M.start(options)
  require("mcp-tools.bridge").start({
    port = options and options.port or require("mcp-tools.bridge").configured_port(),
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
