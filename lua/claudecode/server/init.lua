--- The server as the rest of the plugin sees it. The daemon serves the sockets; this is its
--- mirror: the clients it reported, and the answers that must be given without asking it.

local daemon = require("claudecode.daemon")

local M = {}

--- How long start() waits for the port.
local start_wait_ms = 2000

--- Broadcasts whose on_written has not been called; over it, the oldest is told 0.
local max_unwritten = 256

M.state = {
  server = nil, ---@type boolean? true from the launch until the daemon is gone
  port = nil, ---@type integer? set once it listens
  auth_token = nil, ---@type string?
  handlers = {},
}

local clients = {} ---@type table<integer, claudecode.Client>
local waiting = {} ---@type (fun(err: string?, port: integer?))[]
local unwritten = {} ---@type table<integer, fun(n: integer)>
local last_broadcast = 0

local function reset()
  M.state.server, M.state.port, M.state.auth_token = nil, nil, nil
  clients = {}
  for id in pairs(unwritten) do
    M.on_written(id, 0)
  end
end

local function settled(err, ready)
  if err then
    reset()
  else
    M.state.port, M.state.auth_token = ready.port, ready.token
  end
  local callbacks = waiting
  waiting = {}
  for _, done in ipairs(callbacks) do
    done(err, M.state.port)
  end
end

--- Launches the daemon without waiting for it; while one starts, waits for that one.
---@param config claudecode.Config
---@param auth_token? string The daemon makes one if it is absent
---@param done fun(err: string?, port: integer?) Called once, maybe at once
function M.launch(config, auth_token, done)
  if M.state.port then
    return done("Server already running")
  end
  table.insert(waiting, done)
  if not M.state.server then
    M.state.server = true
    daemon.launch(config, auth_token, settled, reset)
  end
end

--- Launches the daemon and waits until it listens.
---@param config claudecode.Config
---@param auth_token? string
---@return boolean ok
---@return integer|string port_or_error
function M.start(config, auth_token)
  local finished, failure, port
  M.launch(config, auth_token, function(err, bound)
    finished, failure, port = true, err, bound
  end)
  local waited = vim.wait(start_wait_ms, function()
    return finished
  end, 5)
  if not waited then
    M.stop()
    return false, ("claudecoded did not answer within %d s"):format(start_wait_ms / 1000)
  end
  if failure then
    return false, failure
  end
  return true, port
end

---@return boolean ok
---@return string? err
function M.stop()
  if not daemon.stop() then
    return false, "Server not running"
  end
  return true
end

--- A daemon attached by itself; see PROTOCOL.md, `attached`.
---@param hello { channel: integer, protocol: integer, version: string }
function M.attach(hello)
  local answer = daemon.attach(hello.channel, hello.protocol, settled, reset)
  M.state.server = true
  return answer
end

---@param n integer
function M.on_client_opened(n)
  _G.claudecode_clients_created = math.max(_G.claudecode_clients_created or 0, n)
  clients[n] = { id = "client_" .. n, state = "connected", handshake_complete = true, connected_at = vim.uv.now() }
end

---@param n integer
function M.on_client_closed(n)
  clients[n] = nil
end

--- The last write of a broadcast finished.
---@param id integer
---@param n integer How many clients it reached
function M.on_written(id, n)
  local callback = unwritten[id]
  unwritten[id] = nil
  if callback then
    callback(n)
  end
end

--- nil params are sent as an empty object.
local function encode(params)
  if params == nil then
    return "{}"
  end
  local problem = require("mcp-tools.values").problem(params, "params")
  if problem then
    error(problem, 0)
  end
  return vim.json.encode(params)
end

--- Sends a JSON-RPC notification to one client.
---@param client string|integer|{ id: string } client_<n>, its number, or an entry of get_status().clients
---@param method string
---@param params? table
---@return boolean sent
function M.send(client, method, params)
  local id = type(client) == "table" and client.id or client
  local n = type(id) == "string" and tonumber(id:match("^client_(%d+)$")) or id
  return clients[n] ~= nil and daemon.notify("send", { client = n, method = method, params = encode(params) })
end

--- Sends a JSON-RPC notification to every connected client.
---@param method string
---@param params? table
---@param on_written? fun(n: integer) Runs once, after the last write, with how many succeeded
---@return boolean sent true if there is at least one client
function M.broadcast(method, params, on_written)
  if next(clients) == nil then
    return false
  end
  local text = encode(params)
  last_broadcast = last_broadcast + 1
  local id = last_broadcast
  unwritten[id] = on_written
  if not daemon.notify("broadcast", { id = id, method = method, params = text }) then
    unwritten[id] = nil
    return false
  end
  M.on_written(id - max_unwritten, 0)
  return true
end

---@return { running: boolean, port: integer?, client_count: integer, clients: claudecode.Client[]? }
function M.get_status()
  local list = vim.tbl_values(clients)
  table.sort(list, function(a, b)
    return #a.id < #b.id or (#a.id == #b.id and a.id < b.id)
  end)
  local running = M.state.port ~= nil
  return { running = running, port = M.state.port, client_count = #list, clients = running and list or nil }
end

return M
