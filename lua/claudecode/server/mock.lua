--- A stand-in for claudecode.server without sockets: its clients and their messages are tables.
--- Its tools are the real ones.

local M = {}

local function fresh_state()
  return {
    server = nil, ---@type { port: integer }?
    port = nil, ---@type integer?
    clients = {}, ---@type table<string, { id: string, connected: boolean, messages: table[] }>
    handlers = {}, ---@type table<string, fun(client: table, params?: table): any, any>
    messages = {}, ---@type { client: string, direction: "inbound"|"outbound", message: table }[]
  }
end

M.state = fresh_state()

---@param min integer
---@return integer
function M.find_available_port(min, _)
  return min
end

---@param config? { port_range?: claudecode.PortRange }
---@return boolean ok
---@return integer|string port_or_error
function M.start(config)
  if M.state.server then
    return false, "Server already running"
  end
  local range = config and config.port_range or require("claudecode.config").defaults.port_range
  M.state = fresh_state()
  M.state.port = M.find_available_port(range.min, range.max)
  M.state.server = { port = M.state.port }
  M.register_handlers()
  return true, M.state.port
end

---@return boolean ok
---@return string? err
function M.stop()
  if not M.state.server then
    return false, "Server not running"
  end
  for id in pairs(M.state.clients) do
    M.remove_client(id)
  end
  M.state = fresh_state()
  return true
end

function M.register_handlers()
  M.state.handlers = {
    ["mcp.connect"] = function(client)
      return { result = { message = "Connected as " .. client.id } }
    end,
    ["mcp.tool.invoke"] = function(client, params)
      return require("claudecode.tools").handle_invoke(client, params)
    end,
  }
end

---@param id string
---@return table client
function M.add_client(id)
  assert(M.state.server, "Server not running")
  M.state.clients[id] = { id = id, connected = true, messages = {} }
  return M.state.clients[id]
end

---@param id string
---@return boolean removed
function M.remove_client(id)
  local client = M.state.clients[id]
  if not client then
    return false
  end
  client.connected = false
  M.state.clients[id] = nil
  require("claudecode.server.dispatch").forget(function(other)
    return other == client
  end)
  return true
end

---@param client string|{ id: string }
---@return table? client nil if it is not connected
local function find(client)
  return M.state.clients[type(client) == "table" and client.id or client]
end

local function deliver(client, message)
  local to = find(client)
  if not to then
    return false
  end
  message.jsonrpc = "2.0"
  table.insert(to.messages, message)
  table.insert(M.state.messages, { client = to.id, direction = "outbound", message = message })
  return true
end

---@param client string|{ id: string }
---@param method string
---@param params? table
---@return boolean sent
function M.send(client, method, params)
  return deliver(client, { method = method, params = params or vim.empty_dict() })
end

---@param client string|{ id: string }
---@param id any nil is null
---@param result any
---@param error_data? table Sent instead of the result
---@return boolean sent
function M.send_response(client, id, result, error_data)
  local message = { id = id == nil and vim.NIL or id }
  if error_data ~= nil then
    message.error = error_data
  else
    message.result = result == nil and vim.NIL or result
  end
  return deliver(client, message)
end

---@param method string
---@param params? table
---@return boolean sent true if there is at least one client
function M.broadcast(method, params)
  local sent = false
  for id in pairs(M.state.clients) do
    sent = M.send(id, method, params) or sent
  end
  return sent
end

--- Answers once a tool that was deferred is done.
local function await(client, id, answer)
  require("claudecode.server.dispatch").defer({
    client = client,
    coroutine = answer.coroutine,
    task_id = answer.task_id,
  }, function(result, err)
    M.send_response(client, id, result, err)
  end)
end

--- Runs a message as if the client had sent it.
---@param id string
---@param message { id?: any, method?: string, params?: table }
---@return boolean handled false if there is no such client
function M.simulate_message(id, message)
  local client = find(id)
  if not client then
    return false
  end
  table.insert(M.state.messages, { client = id, direction = "inbound", message = message })
  local handler = M.state.handlers[message.method]
  local ok, answer
  if handler then
    ok, answer = pcall(handler, client, message.params)
  else
    ok, answer = true, { error = { code = -32601, message = "Method not found" } }
  end
  if not ok then
    answer = { error = require("mcp-tools.outcome").internal_error(tostring(answer)) }
  end
  answer = answer or {}
  if answer._deferred then
    await(client, message.id, answer)
  elseif message.id ~= nil then
    M.send_response(client, message.id, answer.result, answer.error)
  end
  return true
end

--- Forgets every message that was sent or received.
function M.clear_messages()
  M.state.messages = {}
  for _, client in pairs(M.state.clients) do
    client.messages = {}
  end
end

return M
