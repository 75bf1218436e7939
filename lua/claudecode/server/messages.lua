--- What clients are sent. nil params are sent as an empty object.

local clients = require("claudecode.server.clients")
local daemon = require("claudecode.daemon")

local M = {}

--- Broadcasts whose on_written has not been called; over it, the oldest is told 0.
M.max_unwritten = 256

local unwritten = {} ---@type table<integer, fun(n: integer)>
local last_broadcast = 0

--- The params as JSON text; raises where they are none.
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

--- Sends a notification to one client.
---@param client any
---@param method string
---@param params? table
---@return boolean sent
function M.send(client, method, params)
  local n = clients.connected(client)
  return n ~= nil and daemon.notify("send", { client = n, method = method, params = encode(params) })
end

--- Answers a request of a client.
---@param client any
---@param id? string|number
---@param result any
---@param error_data? claudecode.ToolError|string
---@return boolean sent
function M.respond(client, id, result, error_data)
  local n = clients.connected(client)
  if not n then
    return false
  end
  local answer = require("mcp-tools.outcome").fit({ result = result, error = error_data })
  answer.client, answer.id = n, id
  return daemon.notify("respond", answer)
end

--- Sends a notification to every client that is connected.
---@param method string
---@param params? table
---@param on_written? fun(n: integer)
---@return boolean sent
function M.broadcast(method, params, on_written)
  if next(clients.all) == nil then
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
  M.written(id - M.max_unwritten, 0)
  return true
end

--- The last write of a broadcast finished.
---@param id integer
---@param n integer How many clients it reached
function M.written(id, n)
  local callback = unwritten[id]
  unwritten[id] = nil
  if callback then
    callback(n)
  end
end

--- What was not written will not be.
function M.forget_all()
  for id in pairs(unwritten) do
    M.written(id, 0)
  end
end

return M
