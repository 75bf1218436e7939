--- JSON Schemas of tool arguments. In Lua an empty table is a list; where a schema needs an
--- object, `{}` is made one here, because a client drops a tool whose `properties` is `[]`.

local M = {}

--- Keywords whose value is a schema, a map of schemas, a list of schemas.
local keywords = {
  schema = {
    "items",
    "additionalProperties",
    "additionalItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
  },
  map = { "properties", "patternProperties", "$defs", "definitions", "dependentSchemas" },
  list = { "allOf", "anyOf", "oneOf", "prefixItems" },
}

local function object(entries)
  return next(entries) == nil and vim.empty_dict() or entries
end

local repair

local function repair_each(schemas)
  return vim.tbl_map(repair, schemas)
end

--- Copies a schema with its empty tables made objects.
function repair(schema)
  if type(schema) ~= "table" then
    return schema
  end
  local copy = {}
  for key, value in pairs(schema) do
    copy[key] = value
  end
  for kind, fix in pairs({
    schema = repair,
    list = repair_each,
    map = function(schemas)
      return object(repair_each(schemas))
    end,
  }) do
    for _, key in ipairs(keywords[kind]) do
      if type(copy[key]) == "table" then
        copy[key] = fix(copy[key])
      end
    end
  end
  return object(copy)
end

--- The schema of arguments in the simple form `{ name = { type, description, required, … } }`.
local function from_args(args)
  local properties, required = {}, {}
  for name, spec in pairs(args) do
    local property = {}
    for key, value in pairs(spec) do
      property[key] = value
    end
    property.required = nil
    properties[name] = property
    if spec.required then
      table.insert(required, name)
    end
  end
  table.sort(required)
  return { type = "object", properties = properties, required = #required > 0 and required or nil }
end

--- The schema of a tool's arguments.
---@param tool mcp_tools.Tool
---@return table? schema nil for a tool that is callable but not listed
function M.of(tool)
  if tool.input_schema == false then
    return nil
  end
  return repair(tool.input_schema or from_args(tool.args))
end

return M
