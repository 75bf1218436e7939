--- JSON Schemas of tool arguments. In Lua an empty table is a list; where a schema needs an
--- object, `{}` is made one here, because a client drops a tool whose `properties` is `[]`.

local M = {}

local function object(entries)
  return next(entries) == nil and vim.empty_dict() or entries
end

local repair

local function repair_list(schemas)
  return vim.tbl_map(repair, schemas)
end

local function repair_map(schemas)
  return object(repair_list(schemas))
end

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

local fixes = {} ---@type table<string, fun(value: table): table> by keyword

--- Copies a schema with its empty tables made objects.
function repair(schema)
  if type(schema) ~= "table" then
    return schema
  end
  local copy = {}
  for key, value in pairs(schema) do
    copy[key] = type(value) == "table" and fixes[key] and fixes[key](value) or value
  end
  return object(copy)
end

for kind, fix in pairs({ schema = repair, map = repair_map, list = repair_list }) do
  for _, keyword in ipairs(keywords[kind]) do
    fixes[keyword] = fix
  end
end

--- What `min` and `max` mean, by the type.
local bounds = {
  number = { "minimum", "maximum" },
  integer = { "minimum", "maximum" },
  string = { "minLength", "maxLength" },
  array = { "minItems", "maxItems" },
}

local from_args

--- The schema of one argument in the simple form.
local function from_spec(spec)
  local schema = {}
  for key, value in pairs(spec) do
    schema[key] = value
  end
  local names = bounds[spec.type] or bounds.number
  schema.min, schema.max = nil, nil
  schema[names[1]] = schema[names[1]] or spec.min
  schema[names[2]] = schema[names[2]] or spec.max
  if type(spec.required) == "boolean" then -- said of itself, for what it is in
    schema.required = nil
  end
  if type(spec.properties) == "table" then
    local inner = from_args(spec.properties)
    schema.properties = inner.properties
    schema.required = schema.required or inner.required
  end
  if type(spec.items) == "table" and not vim.islist(spec.items) then
    schema.items = from_spec(spec.items)
  end
  if spec.type == "object" and type(spec.default) == "table" then
    schema.default = object(spec.default)
  end
  return schema
end

--- The schema of arguments in the simple form `{ name = { type, description, required, … } }`.
function from_args(args)
  local properties, required = {}, {}
  for name, spec in pairs(args) do
    properties[name] = type(spec) == "table" and from_spec(spec) or spec
    if type(spec) == "table" and spec.required == true then
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
  elseif tool.schema_text then
    return vim.json.decode(tool.schema_text)
  end
  return repair(tool.input_schema or from_args(tool.args))
end

--- A schema as it is registered, fit to be encoded.
---@param schema table
---@return table
function M.repair(schema)
  return repair(schema)
end

return M
