--- What comes of a call, made fit for a client.

local M = {}

--- The code of a tool that failed without one.
local code_tool = -32000

local function problem_of(value, name)
  return require("mcp-tools.values").problem(value, name)
end

---@param err any What a tool failed with
---@return string|claudecode.ToolError
local function fit_error(err)
  if type(err) == "table" and type(err.message) == "string" then
    local data = problem_of(err.data, "data") and vim.inspect(err.data) or err.data
    return { code = tonumber(err.code) or code_tool, message = err.message, data = data }
  elseif err == "" then
    return "Tool failed"
  end
  return type(err) == "string" and err or vim.inspect(err)
end

--- Makes an outcome fit for the wire: what has no JSON form becomes an error.
---@param outcome { result?: any, error?: any }
---@return { result?: any, error?: string|claudecode.ToolError } one of them
function M.fit(outcome)
  if outcome.error ~= nil then
    return { error = fit_error(outcome.error) }
  end
  local problem = problem_of(outcome.result, "result")
  if problem then
    return { error = problem }
  end
  return { result = outcome.result == nil and vim.NIL or outcome.result }
end

--- Makes a JSON-RPC error object of what a tool failed with.
---@param err any
---@return claudecode.ToolError
function M.rpc_error(err)
  local fit = fit_error(err)
  return type(fit) == "table" and fit or { code = code_tool, message = fit, data = fit }
end

---@param detail string
---@return claudecode.ToolError
function M.internal_error(detail)
  return { code = -32603, message = "Internal error", data = detail }
end

--- The result of tools/call that a value is: one with `content` is one already, a string is
--- its text, the text of anything else is its JSON form.
---@param value any
---@return table? result
---@return claudecode.ToolError? err
function M.call_result(value)
  local fit = M.fit({ result = value })
  if fit.error then
    return nil, M.rpc_error(fit.error)
  elseif fit.result == vim.NIL then
    return nil, M.internal_error("Tool handler returned unexpected format")
  elseif type(value) == "table" and type(value.content) == "table" and vim.islist(value.content) then
    return value
  end
  local text = type(value) == "string" and value or require("mcp-tools.json").encode(value)
  return { content = { { type = "text", text = text } } }
end

return M
