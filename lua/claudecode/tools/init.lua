--- The tools of the IDE socket. They are registered as a user registers one: through the
--- public registry.

local registry = require("mcp-tools.registry")

local M = {}

local draft = "http://json-schema.org/draft-07/schema#"

--- One file each, below claudecode.tools.
local builtin = { "open_file", "get_diagnostics", "get_workspace_folders" }

local set_up = false

--- A tool's result that is one piece of text.
---@param text string
function M.text(text)
  return { content = { { type = "text", text = text } } }
end

--- A tool's result that is one piece of JSON.
---@param value any
function M.json(value)
  return M.text(vim.json.encode(value))
end

--- The schema of an IDE tool.
---@param properties table<string, table>
---@param required? string[]
function M.schema(properties, required)
  return {
    ["$schema"] = draft,
    type = "object",
    properties = properties,
    required = required,
    additionalProperties = false,
  }
end

--- Registers the built-in tools, once. What a user registered under such a name stays.
function M.setup()
  if set_up then
    return
  end
  set_up = true
  for _, name in ipairs(builtin) do
    local tool = require("claudecode.tools." .. name)
    if not registry.has(tool.name) then
      require("mcp-tools").register(tool)
    end
  end
end

--- Registers a tool for the IDE socket. The handler returns its result (`{ content = … }`), or
--- `false, error`, or raises; an error is a string or `{ code, message, data }`.
---@param name string
---@param schema? table A JSON Schema with a description; without one the tool is callable, not listed
---@param handler fun(params: table): any, any
function M.register(name, schema, handler)
  registry.register({
    name = name,
    description = schema and schema.description or name,
    input_schema = schema or false,
    ide = true,
    execute = function(cb, args)
      local result, err = handler(args)
      if result == false then
        cb(nil, err or { code = -32000, message = "Tool failed" })
      elseif result == nil then
        cb(nil, { code = -32603, message = "Internal error", data = "Tool handler returned unexpected format" })
      else
        cb(result)
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

--- Turns what a tool failed with into a JSON-RPC error.
local function rpc_error(err)
  if type(err) == "table" then
    return err
  end
  return { code = -32000, message = tostring(err), data = tostring(err) }
end

--- Runs a tool as `tools/call` does. A tool that answers later is told by `_deferred`; its
--- outcome is then fetched with the registry's get_result(task_id).
---@param client? { id: string }
---@param params { name: string, arguments?: table }
---@return { result?: any, error?: claudecode.ToolError, _deferred?: true, task_id?: string }
function M.handle_invoke(client, params)
  if type(params.name) ~= "string" then
    return { error = { code = -32602, message = "Invalid params", data = "Missing tool name" } }
  elseif not registry.has(params.name) then
    return { error = { code = -32601, message = "Tool not found: " .. params.name } }
  end
  local outcome = registry.execute(params.name, params.arguments, { client = client and client.id })
  if outcome.pending then
    return { _deferred = true, task_id = outcome.task_id }
  elseif outcome.error ~= nil then
    return { error = rpc_error(outcome.error) }
  end
  return { result = outcome.result }
end

return M
