--- The server of the tools as mcp-tools names it: the bridge. It is the one that Claude Code
--- uses too: who starts it first starts it for both, and who stops it last ends it.

local M = {}

---@class (exact) mcp_tools.Use
---@field on_ready? fun(port: integer)
---@field on_stop? fun()

local use ---@type mcp_tools.Use? From start() until stop(), or until there is no server any more

local function server()
  return require("claudecode.server")
end

local function tell(level, message)
  require("claudecode.log").tools(level, message)
end

--- The port that the options ask for: bridge.port, unless port_range says which.
---@return integer port 0: any of port_range
function M.configured_port()
  local untouched =
    vim.deep_equal(require("claudecode").state.config.port_range, require("claudecode.config").defaults.port_range)
  return untouched and require("mcp-tools.config").get("bridge.port") or 0
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

--- Ends a use of the server, if it has not ended.
---@param ended mcp_tools.Use
local function leave(ended)
  if use ~= ended then
    return
  end
  use = nil
  if ended.on_stop then
    ended.on_stop()
  end
end

--- Calls a function once the server listens, at once if it does. One is launched if there is none.
---@param port integer For a server that is launched, 0: any of the configured range
---@param done fun(err?: string, port?: integer)
local function await(port, done)
  local listening = M.get_port()
  if listening then
    return done(nil, listening)
  end
  server().launch(configuration(port), nil, done)
end

--- Starts the server without waiting for it, or shares the one that there is.
---@param options? { port?: integer, on_ready?: fun(port: integer), on_stop?: fun() }
function M.start(options)
  options = options or {}
  if use then
    return tell("warn", "Bridge already running on port " .. tostring(M.get_port()))
  end
  local mine = { on_ready = options.on_ready, on_stop = options.on_stop } ---@type mcp_tools.Use
  use = mine
  if not M.is_running() then
    server().state.only_tools = true
  end
  await(options.port or 0, function(err, port)
    if err then
      tell("error", err)
    elseif mine.on_ready and use == mine then
      mine.on_ready(port)
    end
  end)
  server().once_over(function()
    leave(mine)
  end)
end

--- Calls a function once the server listens, at once if it does; mcp-tools starts it if it has not.
--- If that fails, start() says why.
---@param ready fun(port: integer)
---@return boolean started Whether mcp-tools had not
function M.when_ready(ready)
  local first = not use
  if first then
    require("mcp-tools").start()
  end
  if use then
    await(0, function(err, port)
      if not err then
        ready(port)
      end
    end)
  end
  return first
end

--- Stops the server and waits until it has ended, unless Claude Code's side goes on with it.
--- Nothing happens if there is none.
function M.stop()
  if M.is_running() and not server().state.only_tools then
    return use and leave(use)
  end
  server().stop()
end

--- Whether mcp-tools was started and not stopped.
---@return boolean
function M.in_use()
  return use ~= nil
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
