--- The server as the rest of the plugin sees it. The daemon serves the sockets; this is its
--- mirror: the clients it reported, and the answers that must be given without asking it.

local clock = require("claudecode.clock")
local daemon = require("claudecode.daemon")
local deferred = require("claudecode.server.deferred")
local supervisor = require("claudecode.supervisor")

local M = {}

--- How long start() waits for the port. Internal, no option: only tests set another.
M.start_wait_ms = 2000

--- The daemon's own.
local default_ping_ms = 30000

--- Broadcasts whose on_written has not been called; over it, the oldest is told 0.
local max_unwritten = 256

M.state = {
  server = nil, ---@type boolean? true from the launch until there is no server any more
  only_tools = nil, ---@type boolean? true while mcp-tools alone was started, and not Claude Code's side
  -- Set once it listens. They stay while a daemon that died is started again: Claude comes
  -- back to this port, and one that is launched meanwhile is sent there too.
  port = nil, ---@type integer?
  auth_token = nil, ---@type string?
  handlers = {}, ---@type table<string, fun(client: any, params?: table): any, any> see register_handlers()
  ping_timer = nil, ---@type integer? Milliseconds between the daemon's pings
}

local clients = {} ---@type table<integer, claudecode.Client>
local waiting = {} ---@type (fun(err: string?, port: integer?))[]
local over = {} ---@type (fun())[]
local unwritten = {} ---@type table<integer, fun(n: integer)>
local last_broadcast = 0
local restarting = false

--- The number n of client_<n>.
---@param client any client_<n>, its number, or a table with its id
---@return integer?
local function number_of(client)
  local id = type(client) == "table" and client.id or client
  return type(id) == "string" and tonumber(id:match("^client_(%d+)$")) or id
end

local function settle(err)
  local callbacks = waiting
  waiting = {}
  for _, done in ipairs(callbacks) do
    done(err, M.state.port)
  end
end

--- The selection is tracked only while somebody listens.
local function track_selection()
  require("claudecode.selection").on_clients()
end

--- Who shows the server's state is told that it may be another.
local function announce()
  require("claudecode.activity").changed()
end

--- Ends what a client left behind.
---@param n integer
local function forget_client(n)
  local id = clients[n].id
  clients[n] = nil
  require("claudecode.server.dispatch").forget(function(client)
    return number_of(client) == n
  end)
  track_selection()
  announce()
  vim.schedule(function()
    local diff = package.loaded["claudecode.diff"]
    if diff then
      diff.close_diffs_for_client(id, "client disconnected")
    end
  end)
end

local function forget_clients()
  for n in pairs(clients) do
    forget_client(n)
  end
  for id in pairs(unwritten) do
    M.on_written(id, 0)
  end
end

local events = {} ---@type claudecode.ServerEvents

function events.on_ready(ready)
  M.state.port, M.state.auth_token, restarting = ready.port, ready.token, false
  announce()
  settle()
end

function events.on_lost()
  restarting = true
  forget_clients()
end

function events.on_over(err)
  M.state.server, M.state.port, M.state.auth_token, M.state.ping_timer, restarting = nil, nil, nil, nil, false
  M.state.only_tools = nil
  forget_clients()
  track_selection()
  announce()
  deferred.reset()
  local mentions = package.loaded["claudecode.mention.queue"]
  if mentions then
    mentions.abandon()
  end
  settle(err or "claudecoded was stopped")
  local callbacks = over
  over = {}
  for _, callback in ipairs(callbacks) do
    callback()
  end
end

--- Calls a function once when there is no server any more.
---@param callback fun()
function M.once_over(callback)
  if M.state.server then
    table.insert(over, callback)
  else
    callback()
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
    M.state.server, M.state.ping_timer = true, config.daemon.ping_interval_ms or default_ping_ms
    M.register_handlers()
    supervisor.start(config, auth_token, events)
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
  local waited = vim.wait(M.start_wait_ms, function()
    return finished
  end, 5)
  if not waited then
    M.stop()
    return false, ("claudecoded did not answer within %d s"):format(M.start_wait_ms / 1000)
  end
  if failure then
    return false, failure
  end
  M.serve_claude(true)
  return true, port
end

--- Begins or ends to serve Claude Code with the server that mcp-tools uses too.
---@param on boolean
function M.serve_claude(on)
  local before = M.state.only_tools == nil
  if on == before then
    return
  elseif not on then
    M.reject_diffs()
  end
  M.state.only_tools = not on or nil
  daemon.notify("lock", { on = on })
end

--- Has pending diffs answered while there is somebody to carry the answers.
function M.reject_diffs()
  local diff = package.loaded["claudecode.diff"]
  if diff and M.state.server then
    diff.close_pending_diffs("server stopping")
  end
end

---@return boolean ok
---@return string? err
function M.stop()
  M.reject_diffs()
  if not supervisor.stop() then
    return false, "Server not running"
  end
  return true
end

--- A daemon attached by itself; see PROTOCOL.md, `attached`.
---@param hello { channel: integer, protocol: integer, version: string }
function M.attach(hello)
  if not daemon.current() and M.state.server then
    error("this Neovim's claudecoded is being started again", 0)
  end
  local answer = daemon.attach(hello.channel, hello.protocol, function(err, ready)
    if ready then
      events.on_ready(ready)
    else
      events.on_over(err)
    end
  end, function()
    events.on_over()
  end)
  M.state.server, M.state.ping_timer = true, default_ping_ms
  M.register_handlers()
  return answer
end

---@param n integer
function M.on_client_opened(n)
  _G.claudecode_clients_created = math.max(_G.claudecode_clients_created or 0, n)
  clients[n] = { id = "client_" .. n, state = "connected", handshake_complete = true, connected_at = clock.now() }
  track_selection()
  announce()
  vim.schedule(function()
    local claudecode = require("claudecode")
    if claudecode.process_mention_queue then
      claudecode.process_mention_queue(true)
    end
  end)
end

--- The client was told the tools, and soon takes notifications.
---@param n integer
function M.on_client_ready(n)
  require("claudecode.selection").on_ready(n)
end

---@param n integer
function M.on_client_closed(n)
  if clients[n] then
    forget_client(n)
  end
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
  return require("mcp-tools.json").encode(params)
end

--- Sends a JSON-RPC notification to one client.
---@param client string|integer|{ id: string } client_<n>, its number, or an entry of get_status().clients
---@param method string
---@param params? table
---@return boolean sent
function M.send(client, method, params)
  local n = number_of(client)
  return clients[n] ~= nil and daemon.notify("send", { client = n, method = method, params = encode(params) })
end

--- Answers a request of a client. What has no JSON form, or is more than the client takes, is an
--- error to it.
---@param client string|integer|{ id: string }
---@param id? string|number nil is sent as null
---@param result any
---@param error_data? claudecode.ToolError|string Sent instead of the result
---@return boolean sent
function M.send_response(client, id, result, error_data)
  local n = number_of(client)
  if clients[n] == nil then
    return false
  end
  local answer = require("mcp-tools.outcome").fit({ result = result, error = error_data })
  answer.client, answer.id = n, id
  return daemon.notify("respond", answer)
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

---@return { running: boolean, restarting: true?, port: integer?, client_count: integer, clients: claudecode.Client[]? }
function M.get_status()
  local list = vim.tbl_values(clients)
  table.sort(list, function(a, b)
    return #a.id < #b.id or (#a.id == #b.id and a.id < b.id)
  end)
  local running = M.state.port ~= nil
  return {
    running = running,
    restarting = restarting or nil,
    port = M.state.port,
    client_count = #list,
    clients = running and list or nil,
  }
end

--- Fills state.handlers: by method, a function that takes the client and the params and returns
--- a result, or nil and an error. The daemon answers its clients by itself; these answer what is
--- given to _handle_message().
function M.register_handlers()
  M.state.handlers = vim.tbl_extend("force", {}, require("claudecode.server.methods"))
end

--- Runs a message as if the client had sent it.
---@param client string|integer|{ id: string }
---@param text string
function M._handle_message(client, text)
  require("claudecode.server.dispatch").message(M, client, text)
end

---@param client string|integer|{ id: string }
---@param request { id: any, method: string, params?: table }
function M._handle_request(client, request)
  require("claudecode.server.dispatch").request(M, client, request)
end

---@param client string|integer|{ id: string }
---@param notification { method: string, params?: table }
function M._handle_notification(client, notification)
  require("claudecode.server.dispatch").notification(M, client, notification)
end

--- Answers a request once _G.claude_deferred_responses[tostring(coroutine)] is called.
---@param info { client: any, id: any, coroutine: thread, task_id?: string }
function M._setup_deferred_response(info)
  require("claudecode.server.dispatch").defer(info, function(result, err)
    M.send_response(info.client, info.id, result, err)
  end)
end

return M
