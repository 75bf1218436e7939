--- The one registry of tools, for both namespaces.

local describe = require("mcp-tools.describe")

local M = {}

local tools = {} ---@type table<string, mcp_tools.Tool>
local order = {} ---@type string[] names as they were first registered
local change_scheduled = false

local function tasks()
  return require("mcp-tools.tasks")
end

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

--- Adds a tool, or replaces the one of that name. Raises what is wrong with it.
---@param tool mcp_tools.Tool
function M.register(tool)
  assert(tool.name, "Tool must have a name")
  assert(tool.description, "Tool must have a description")
  assert(tool.execute, "Tool must have an execute function")
  assert(type(tool.execute) == "function", "execute must be a function")
  local malformed = require("mcp-tools.declaration").problem(tool)
  if malformed then
    error(("Tool %s: %s"):format(tostring(tool.name), malformed), 0)
  end
  local entry = vim.tbl_extend("keep", tool, { args = {} })
  local problem = describe.problem(entry)
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

--- A tool as it was registered.
---@param name string
---@return mcp_tools.Tool?
function M.get(name)
  return tools[name]
end

---@return string[] names In the order in which they were registered
function M.names()
  return vim.deepcopy(order)
end

--- The tools as the daemon is told of them.
---@return table[]
function M.catalogue()
  return vim.tbl_map(function(name)
    return describe.entry(tools[name])
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
  return tasks().run(tool, args or {}, call or {})
end

--- See mcp-tools.tasks.
---@param id string
---@return mcp_tools.Outcome
function M.get_result(id)
  return tasks().get_result(id)
end

---@param id string
---@return { cancelled: true }
function M.cancel_task(id)
  return tasks().cancel(id)
end

---@return integer
function M.pending_count()
  return tasks().count()
end

function M.clear_pending()
  tasks().clear()
end

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
