--- The server of the tools as mcp-tools names it: the bridge. It is the one that Claude Code
--- uses too, so whoever starts it starts it for both.

local M = {}

local function server()
  return require("claudecode.server")
end

local function notify(level, message)
  vim.notify("[mcp-tools] " .. message, vim.log.levels[level])
end

--- The plugin's configuration with what mcp-tools wants different.
---@param port integer 0: any of the configured range
local function configuration(port)
  local given = require("mcp-tools.config").given
  local config = vim.deepcopy(require("claudecode").state.config)
  if port ~= 0 then
    config.port_range = { min = port, max = port }
  end
  config.log_level = given("bridge.log_level") or config.log_level
  config.daemon.log_file = given("bridge.log_file") or config.daemon.log_file
  return config
end

--- Starts the server without waiting for it.
---@param options? { port?: integer, on_ready?: fun(port: integer), on_stop?: fun() }
function M.start(options)
  options = options or {}
  if M.is_running() then
    return notify("WARN", "Bridge already running on port " .. tostring(M.get_port()))
  end
  server().launch(configuration(options.port or 0), nil, function(err, port)
    if err then
      notify("ERROR", err)
    elseif options.on_ready then
      options.on_ready(port)
    end
  end)
  if options.on_stop then
    server().once_over(options.on_stop)
  end
end

--- Stops the server and waits until it has ended. Nothing happens if there is none.
function M.stop()
  server().stop()
end

--- Whether there is a server, listening already or not.
---@return boolean
function M.is_running()
  return server().state.server ~= nil
end

---@return integer? port nil until it listens
function M.get_port()
  return server().state.port
end

---@return string? token What clients show the server
function M.get_auth_token()
  return server().state.auth_token
end

return M
