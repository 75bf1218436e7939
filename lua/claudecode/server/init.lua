--- The server as the rest of the plugin sees it. The daemon serves the sockets; this is its
--- mirror: the clients it reported, and the answers that must be given without asking it.

local daemon = require("claudecode.daemon")
local deferred = require("claudecode.server.deferred")
local supervisor = require("claudecode.supervisor")

local M = {}

--- How long start() waits for the port. Internal, no option: only tests set another.
M.start_wait_ms = 2000

--- The daemon's own.
local default_ping_ms = 30000

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

local waiting = {} ---@type (fun(err: string?, port: integer?))[]
local over = {} ---@type (fun())[]
local restarting = false

--- Calls a function of a part of the server, which is loaded by the first call.
---@param part "attached"|"clients"|"inbound"|"messages"
---@param name string
local function of(part, name)
  return function(...)
    return require("claudecode.server." .. part)[name](...)
  end
end

local function settle(err)
  local callbacks = waiting
  waiting = {}
  for _, done in ipairs(callbacks) do
    done(err, M.state.port)
  end
end

--- Who shows the server's state is told that it may be another.
function M.announce()
  local activity = package.loaded["claudecode.activity"]
  if activity then
    activity.changed()
  end
end

--- Nobody is connected any more.
local function forget_clients()
  for _, part in ipairs({ "clients", "messages" }) do
    local module = package.loaded["claudecode.server." .. part]
    if module then
      module.forget_all()
    end
  end
end

--- What becomes of the daemon.
local events = {} ---@type claudecode.ServerEvents
M.events = events

function events.on_ready(ready)
  M.state.port, M.state.auth_token, restarting = ready.port, ready.token, false
  M.announce()
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
  require("claudecode.selection").on_clients()
  M.announce()
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

--- There is a daemon, or there will be.
---@param ping_ms? integer
function M.begin(ping_ms)
  M.state.server, M.state.ping_timer = true, ping_ms or default_ping_ms
  M.register_handlers()
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
    M.begin(config.daemon.ping_interval_ms)
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

--- The daemon's reports, see PROTOCOL.md.
M.attach = of("attached", "begin")
M.on_client_opened = of("clients", "opened")
M.on_client_closed = of("clients", "closed")
M.on_written = of("messages", "written")

--- The client was told the tools, and soon takes notifications.
---@param n integer
function M.on_client_ready(n)
  require("claudecode.selection").on_ready(n)
end

--- Sends a JSON-RPC notification to one client.
---@type fun(client: string|integer|{ id: string }, method: string, params?: table): boolean
M.send = of("messages", "send")

--- Answers a request of a client. What has no JSON form, or is more than the client takes, is an
--- error to it. An id of nil is sent as null, and an error instead of the result.
---@type fun(client: string|integer|{ id: string }, id?: string|number, result: any, err?: table|string): boolean
M.send_response = of("messages", "respond")

--- Sends a JSON-RPC notification to every connected client, of which there must be one. on_written
--- runs once, after the last write, with how many succeeded.
---@type fun(method: string, params?: table, on_written?: fun(n: integer)): boolean
M.broadcast = of("messages", "broadcast")

---@return { running: boolean, restarting: true?, port: integer?, client_count: integer, clients: claudecode.Client[]? }
function M.get_status()
  local clients = package.loaded["claudecode.server.clients"]
  local list = clients and clients.list() or {}
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
---@type fun(client: string|integer|{ id: string }, text: string)
M._handle_message = of("inbound", "message")

---@type fun(client: string|integer|{ id: string }, request: { id: any, method: string, params?: table })
M._handle_request = of("inbound", "request")

---@type fun(client: string|integer|{ id: string }, notification: { method: string, params?: table })
M._handle_notification = of("inbound", "notification")

--- Answers a request once _G.claude_deferred_responses[tostring(coroutine)] is called.
---@type fun(info: { client: any, id: any, coroutine: thread, task_id?: string })
M._setup_deferred_response = of("inbound", "defer")

return M
