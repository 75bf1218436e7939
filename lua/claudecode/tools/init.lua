--- The tools of the IDE socket. They are registered as a user registers one: through the
--- public registry.

local outcome = require("mcp-tools.outcome")
local registry = require("mcp-tools.registry")

local M = {}

--- A tool's result that is one piece of text.
---@param text string
function M.text(text)
  return { content = { { type = "text", text = text } } }
end

--- A tool's result that is one piece of JSON.
---@param value any
function M.json(value)
  return M.text(require("mcp-tools.json").encode(value))
end

--- The buffer of a file that a tool is asked about. If there is none, that is the answer.
---@param cb fun(result?: table, err?: claudecode.ToolError)
---@param args { filePath?: string }
---@return integer? buf
function M.document(cb, args)
  if type(args.filePath) ~= "string" then
    return cb(nil, { code = -32602, message = "Invalid params", data = "Missing filePath parameter" })
  end
  local buf = require("claudecode.paths").find_open(args.filePath)
  return buf or cb(M.json({ success = false, message = "Document not open: " .. args.filePath }))
end

--- Registers the built-in tools, once. What a user registered under such a name stays.
function M.setup()
  require("claudecode.tools.builtin").setup()
end

--- Reads what pcall made of a handler.
---@param ok boolean
---@param result any
---@param err any
---@return any result
---@return claudecode.ToolError? err
local function read(ok, result, err)
  if not ok then
    return nil, outcome.rpc_error(result)
  elseif result == false then
    return nil, err == nil and { code = -32000, message = "Tool failed" } or outcome.rpc_error(err)
  elseif result == nil then
    return nil, outcome.internal_error("Tool handler returned unexpected format")
  end
  return result
end

--- Runs a handler in a coroutine. If that yields, the call is answered once somebody resumes it
--- to its end, or gives the answer under tostring(coroutine), see claudecode.server.deferred.
local function run_in_coroutine(handler, cb, args, ctx)
  local deferred = require("claudecode.server.deferred")
  local late = false
  local co = coroutine.create(function()
    local ok, result, err = pcall(handler, args)
    if not late then
      cb(read(ok, result, err))
    elseif ok and result ~= false then
      deferred.give(ctx.coroutine, result)
    else
      deferred.give(ctx.coroutine, { error = select(2, read(ok, result, err)) })
    end
    if not ok then
      error(result, 0)
    end
    return result, err
  end)
  coroutine.resume(co)
  if coroutine.status(co) == "suspended" then
    late, ctx.coroutine = true, co
    ctx.on_cancel(deferred.keep(co, function(result)
      cb(deferred.read(result))
    end))
  end
end

--- Registers a tool for the IDE socket. The handler returns its result (`{ content = … }`), or
--- `false, error`, or raises; an error is a string or `{ code, message, data }`.
---@param name string
---@param schema? table A JSON Schema with a description; without one the tool is callable, not listed
---@param handler fun(params: table): any, any
---@param requires_coroutine? boolean Runs the handler in a coroutine, which may yield until there is an answer
function M.register(name, schema, handler, requires_coroutine)
  registry.register({
    name = name,
    description = schema and schema.description or name,
    input_schema = schema or false,
    ide = true,
    execute = function(cb, args, ctx)
      if requires_coroutine then
        run_in_coroutine(handler, cb, args, ctx)
      else
        cb(read(pcall(handler, args)))
      end
    end,
  })
end

--- The listed tools of the IDE socket.
---@return { name: string, description: string, inputSchema: table }[]
function M.get_tool_list()
  local list = {}
  for _, tool in ipairs(registry.catalogue()) do
    if tool.ide and tool.input_schema ~= "" then
      table.insert(list, {
        name = tool.name,
        description = tool.description,
        inputSchema = vim.json.decode(tool.input_schema),
      })
    end
  end
  return list
end

---@param data string
local function invalid_params(data)
  return { error = { code = -32602, message = "Invalid params", data = data } }
end

--- Hands the outcome of a call that was deferred to whoever answers it.
---@return boolean taken
local function hand_over(co, late)
  local result, err = late.result, late.error
  if err == nil then
    result, err = outcome.call_result(result)
  end
  return require("claudecode.server.deferred").give(co, err == nil and result or { error = outcome.rpc_error(err) })
end

--- Runs a tool as `tools/call` does. A tool that answers later is told by `_deferred`: its outcome
--- goes to the answer that claudecode.server keeps for the coroutine, else to the registry's
--- get_result(task_id).
---@param client? { id: string }
---@param params { name: string, arguments?: table }
---@return { result?: any, error?: claudecode.ToolError, _deferred?: true, coroutine?: thread, task_id?: string }
function M.handle_invoke(client, params)
  if type(params) ~= "table" or type(params.name) ~= "string" then
    return invalid_params("params.name must be a string, the name of the tool")
  elseif not registry.has(params.name) then
    return { error = { code = -32601, message = "Tool not found: " .. params.name } }
  end
  local arguments = params.arguments
  if arguments == vim.NIL then
    arguments = nil
  elseif arguments ~= nil and (type(arguments) ~= "table" or #arguments > 0) then
    return invalid_params("params.arguments must be an object")
  end
  local co
  local done = registry.execute(params.name, arguments, {
    client = type(client) == "table" and client.id or client,
    on_done = function(late)
      return hand_over(co, late)
    end,
  })
  if done.pending then
    co = done.coroutine or coroutine.create(function() end)
    return { _deferred = true, coroutine = co, client = client, params = params, task_id = done.task_id }
  elseif done.error ~= nil then
    return { error = outcome.rpc_error(done.error) }
  elseif done.result == nil then
    return { error = outcome.internal_error("Tool handler returned unexpected format") }
  end
  return { result = done.result }
end

return M
