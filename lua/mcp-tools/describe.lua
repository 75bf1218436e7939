--- A tool as the daemon is told of it; see `catalogue` in PROTOCOL.md.

local config = require("mcp-tools.config")

local M = {}

---@param tool mcp_tools.Tool
---@return table? schema nil if it is text already, or not to be listed
local function input_schema(tool)
  if tool.schema_text == nil and tool.input_schema ~= false then
    return require("mcp-tools.schema").of(tool)
  end
end

--- The parts that cross as JSON text, by their names in the catalogue.
---@param tool mcp_tools.Tool
---@return table<string, any>
local function parts(tool)
  return {
    input_schema = input_schema(tool),
    output_schema = tool.output_schema and require("mcp-tools.schema").repair(tool.output_schema),
    annotations = tool.annotations,
    meta = tool._meta,
    icons = tool.icons,
  }
end

local shown = { input_schema = "schema", output_schema = "output schema", meta = "_meta" }

--- Names what is in a tool that has no JSON form.
---@param tool mcp_tools.Tool
---@return string? problem nil if there is nothing
function M.problem(tool)
  for name, value in vim.spairs(parts(tool)) do
    local problem = require("mcp-tools.values").problem(value, ("%s of %s"):format(shown[name] or name, tool.name))
    if problem then
      return problem
    end
  end
end

--- A limit that the user set, of tools that set none.
local function given(option)
  local n = config.given(option)
  return type(n) == "number" and n >= 0 and n or nil
end

---@param tool mcp_tools.Tool
---@return table
function M.entry(tool)
  local entry = {
    name = tool.name,
    title = tool.title,
    description = tool.description,
    input_schema = tool.schema_text or "",
    ide = tool.ide == true,
    mcp = tool.mcp,
    ui = tool.ui == true,
    policy = tool.policy,
    policy_args = tool.policy_args,
    -- Clients of the IDE socket have limits of their own.
    timeout_ms = tool.timeout or not tool.ide and given("bridge.tool_timeout") or nil,
    result_limit = tool.result_limit or given("bridge.result_limit"),
  }
  for name, value in pairs(parts(tool)) do
    entry[name] = require("mcp-tools.json").encode(value)
  end
  return entry
end

return M
