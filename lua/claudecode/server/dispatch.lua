--- JSON-RPC 2.0 in Lua: what a message asks for is run, and answered through the server's
--- send_response().

local deferred = require("claudecode.server.deferred")
local outcome = require("mcp-tools.outcome")

local M = {}

local parse_error = { code = -32700, message = "Parse error", data = "Invalid JSON" }
local invalid_request = { code = -32600, message = "Invalid Request", data = "Not a valid JSON-RPC 2.0 request" }

--- What an id may be; `false` makes a notification, as an absent one does.
local id_types = { string = true, number = true, ["nil"] = true, boolean = true }

local open = {} ---@type table<{ client: any }, fun()> the answers to come, and what forgets them

---@return any id vim.NIL if the message has none that can be answered
local function usable_id(message)
  local kind = type(message.id)
  return (kind == "string" or kind == "number") and message.id or vim.NIL
end

--- Whether a message is a request, a notification or an answer; an answer has no method.
local function is_valid(message)
  local id, method = message.id, message.method
  if message.jsonrpc ~= "2.0" or id == true or not (id == vim.NIL or id_types[type(id)]) then
    return false
  end
  return type(method) == "string" or method == nil and (message.result ~= nil or message.error ~= nil)
end

--- Parses, checks and runs a message.
---@param server table claudecode.server
---@param client any
---@param text string
function M.message(server, client, text)
  local ok, message = pcall(vim.json.decode, text)
  if not ok then
    return server.send_response(client, nil, nil, parse_error)
  elseif type(message) ~= "table" then
    return server.send_response(client, nil, nil, invalid_request)
  elseif not is_valid(message) then
    return server.send_response(client, usable_id(message), nil, invalid_request)
  elseif message.method == nil then
    return
  end
  -- To a tool null is the same as absent.
  message.params = vim.json.decode(text, { luanil = { object = true, array = true } }).params
  if message.id then
    server._handle_request(client, message)
  else
    server._handle_notification(client, message)
  end
end

--- Runs a request and answers it.
---@param server table claudecode.server
---@param client any
---@param request { id: any, method: string, params?: table }
function M.request(server, client, request)
  local id, method = request.id, request.method
  local handler = server.state.handlers[method]
  if not handler then
    local err = { code = -32601, message = "Method not found", data = "Unknown method: " .. method }
    return server.send_response(client, id, nil, err)
  end
  local ok, result, err = pcall(handler, client, request.params)
  if not ok then
    server.send_response(client, id, nil, outcome.internal_error(tostring(result)))
  elseif type(result) == "table" and result._deferred then
    server._setup_deferred_response({
      client = client,
      id = id,
      coroutine = result.coroutine,
      task_id = result.task_id,
      method = method,
      params = request.params,
    })
  else
    server.send_response(client, id, result, err)
  end
end

--- Runs a notification, which is never answered.
---@param server table claudecode.server
---@param client any
---@param notification { method: string, params?: table }
function M.notification(server, client, notification)
  local handler = server.state.handlers[notification.method]
  if not handler then
    return
  end
  local ok, result = pcall(handler, client, notification.params)
  if ok and type(result) == "table" and result._deferred then
    M.defer({ client = client, coroutine = result.coroutine, task_id = result.task_id }, function() end)
  end
end

--- Waits for the answer that belongs to a coroutine.
---@param info { client: any, coroutine: thread, task_id?: string }
---@param respond fun(result?: table, err?: any)
function M.defer(info, respond)
  local function end_task()
    open[info] = nil
    if info.task_id then
      require("mcp-tools.registry").cancel_task(info.task_id)
    end
  end
  local forget = deferred.keep(info.coroutine, function(result)
    end_task()
    respond(deferred.read(result))
  end)
  open[info] = function()
    forget()
    end_task()
  end
end

--- Ends the calls of clients that nobody waits for any more.
---@param is_gone fun(client: any): boolean
function M.forget(is_gone)
  for _, info in ipairs(vim.tbl_keys(open)) do
    if is_gone(info.client) then
      open[info]()
    end
  end
end

return M
