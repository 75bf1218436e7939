--- What the schema of a tool's arguments says of each of them.

local M = {}

local formats = { path = true, uri = true, ["uri-reference"] = true, ["file-path"] = true }

local function list(value)
  return type(value) == "table" and value or {}
end

--- Adds a schema and those that it is made of, each once: references may lead back.
---@param all table[]
---@param seen table<table, true>
---@param schema any
---@param root table In which references are
local function add(all, seen, schema, root)
  if type(schema) ~= "table" or seen[schema] then
    return
  end
  seen[schema] = true
  table.insert(all, schema)
  for _, keyword in ipairs({ "anyOf", "oneOf", "allOf" }) do
    for _, one in ipairs(list(schema[keyword])) do
      add(all, seen, one, root)
    end
  end
  for _, keyword in ipairs({ "if", "then", "else" }) do
    add(all, seen, schema[keyword], root)
  end
  local reference = type(schema["$ref"]) == "string" and schema["$ref"]:match("^#/?(.*)$")
  if reference then
    local target = reference == "" and root or vim.tbl_get(root, unpack(vim.split(reference, "/")))
    add(all, seen, target, root)
  end
end

--- The schemas that say something of all arguments.
---@param root table
---@return table[]
function M.of(root)
  local all = {}
  add(all, {}, root, root)
  return all
end

--- The schemas that say something of a member of a value.
---@param schemas table[] Of the value
---@param root table
---@param key string|integer
---@return table[]
function M.member(schemas, root, key)
  local all, seen = {}, {}
  for _, schema in ipairs(schemas) do
    if type(key) == "number" then
      add(all, seen, schema.items, root)
      for _, one in ipairs(list(schema.prefixItems)) do
        add(all, seen, one, root)
      end
    else
      add(all, seen, list(schema.properties)[key] or schema.additionalProperties, root)
    end
  end
  return all
end

--- Whether a schema says that its value is a path.
---@param schema table
function M.is_path(schema)
  return formats[schema.format] or schema["x-path"] == true
end

return M
