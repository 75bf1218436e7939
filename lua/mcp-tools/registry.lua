--- The one registry of tools, for both namespaces.

local config = require("mcp-tools.config")
local json = require("mcp-tools.json")
local schema = require("mcp-tools.schema")
local tasks = require("mcp-tools.tasks")
local values = require("mcp-tools.values")

local M = {}

local tools = {} ---@type table<string, mcp_tools.Tool>
local order = {} ---@type string[] names as they were first registered
local change_scheduled = false

--- Called once after the registry changed, however often it changed in one go.
---@type fun()?
M.on_change = nil

--- Has the daemon told of the tools anew.
function M.changed()
  if change_scheduled or not M.on_change then
    return
  end
  change_scheduled = true
  vim.schedule(function()
    change_scheduled = false
    if M.on_change then
      M.on_change()
    end
  end)
end

--- Adds a tool, or replaces the one of that name.
---@param tool mcp_tools.Tool
function M.register(tool)
  assert(tool.name, "Tool must have a name")
  assert(tool.description, "Tool must have a description")
  assert(tool.execute, "Tool must have an execute function")
  assert(type(tool.execute) == "function", "execute must be a function")
  local entry = vim.tbl_extend("keep", tool, { args = {} })
  local problem = values.problem(schema.of(entry), "schema of " .. tool.name)
  if problem then
    error(problem, 0)
  end
  if not tools[tool.name] then
    table.insert(order, tool.name)
  end
  tools[tool.name] = entry
  M.changed()
end

---@param name string
function M.unregister(name)
  if tools[name] then
    tools[name] = nil
    order = vim.tbl_filter(function(other)
      return other ~= name
    end, order)
    M.changed()
  end
end

---@return table<string, { name: string, description: string, args: table }>
function M.list()
  return vim.tbl_map(function(tool)
    return { name = tool.name, description = tool.description, args = tool.args }
  end, tools)
end

--- How long a tool may take that says nothing of it, if that is not left to the daemon.
local function default_timeout_ms()
  local ms = config.given("bridge.tool_timeout")
  return type(ms) == "number" and ms >= 0 and ms or nil
end

--- The tools as the daemon is told of them.
---@return table[]
function M.catalogue()
  local limit_ms = default_timeout_ms()
  return vim.tbl_map(function(name)
    local tool = tools[name]
    local described = schema.of(tool)
    return {
      name = name,
      description = tool.description,
      input_schema = described and json.encode(described) or "",
      ide = tool.ide == true,
      ui = tool.ui == true,
      -- Clients of the IDE socket have limits of their own.
      timeout_ms = tool.timeout or not tool.ide and limit_ms or nil,
    }
  end, order)
end

--- Runs a tool; see mcp-tools.tasks.
---@param name string
---@param args? table
---@param call? mcp_tools.Call
---@return { done: true, result?: any, error?: any }|mcp_tools.Pending
function M.execute(name, args, call)
  local tool = tools[name]
  if not tool then
    return { done = true, error = "Unknown tool: " .. name }
  end
  return tasks.run(tool, args or {}, call or {})
end

M.get_result = tasks.get_result
M.cancel_task = tasks.cancel
M.pending_count = tasks.count
M.clear_pending = tasks.clear

---@param name string
---@return boolean
function M.has(name)
  return tools[name] ~= nil
end

--- Whether a tool opens windows.
---@param name string
---@return boolean
function M.opens_ui(name)
  return tools[name] ~= nil and tools[name].ui == true
end

---@return integer
function M.count()
  return vim.tbl_count(tools)
end

--- Removes every tool.
function M.clear()
  tools, order = {}, {}
  M.changed()
end

return M
