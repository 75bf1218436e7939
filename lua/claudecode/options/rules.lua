--- The rules that options keep. Each says what it expects, for the message about a value that
--- breaks it.

local M = {}

---@class claudecode.Rule
---@field holds fun(value: any): boolean, string? The second result is a message of its own
---@field expected string
---@field values? any[] Every value that keeps it, if they are few

---@return claudecode.Rule
local function rule(expected, holds, values)
  return { expected = expected, holds = holds, values = values }
end

local function of_type(name)
  return function(value)
    return type(value) == name
  end
end

local function number_where(holds)
  return function(value)
    return type(value) == "number" and holds(value)
  end
end

M.boolean = rule("a boolean", of_type("boolean"), { true, false })
M.string = rule("a string", of_type("string"))
M.string_or_nil = rule("nil or a string", function(value)
  return value == nil or type(value) == "string"
end)
M.table = rule("a table", of_type("table"))
M.callable = rule("a function", vim.is_callable)

M.not_negative = rule(
  "a non-negative number",
  number_where(function(n)
    return n >= 0
  end)
)

M.positive = rule(
  "a positive number",
  number_where(function(n)
    return n > 0
  end)
)

M.count = rule(
  "a positive integer",
  number_where(function(n)
    return n >= 1 and n == math.floor(n)
  end)
)

M.share = rule(
  "a number between 0 and 1",
  number_where(function(n)
    return n > 0 and n < 1
  end)
)

--- The rule, which no value keeps too.
---@param base claudecode.Rule
function M.optional(base)
  return rule(base.expected, function(value)
    if value == nil then
      return true
    end
    return base.holds(value)
  end, base.values)
end

function M.one_of(...)
  local values = { ... }
  local names = table.concat(vim.tbl_map(tostring, values), ", ")
  return rule("one of: " .. names, function(value)
    return vim.list_contains(values, value)
  end, values)
end

local function is_name(value)
  return type(value) == "string" and value ~= ""
end

local function is_list(value, holds)
  if type(value) ~= "table" or not vim.islist(value) then
    return false
  end
  for _, item in ipairs(value) do
    if not holds(item) then
      return false
    end
  end
  return true
end

M.names = rule("a list of names", function(value)
  return is_list(value, is_name)
end)

M.command = rule("a string or a list of strings", function(value)
  return is_name(value) or (is_list(value, of_type("string")) and #value > 0)
end)

M.port_range = rule("a range of ports", function(range)
  local holds = type(range) == "table"
    and type(range.min) == "number"
    and type(range.max) == "number"
    and range.min > 0
    and range.max <= 65535
    and range.min <= range.max
  return holds, "Invalid port range: port_range needs numbers min and max, 0 < min <= max <= 65535"
end)

M.env = rule("a table", function(env)
  if type(env) ~= "table" then
    return false
  end
  for key, value in pairs(env) do
    if type(key) ~= "string" then
      return false, "env keys must be strings"
    elseif type(value) ~= "string" then
      return false, "env values must be strings"
    end
  end
  return true
end)

M.models = rule("a table", function(models)
  if type(models) ~= "table" then
    return false
  elseif #models == 0 then
    return false, "models must not be empty"
  end
  for i, model in ipairs(models) do
    if type(model) ~= "table" then
      return false, ("models[%d] must be a table"):format(i)
    end
    for _, field in ipairs({ "name", "value" }) do
      if not is_name(model[field]) then
        return false, ("models[%d].%s must be a non-empty string"):format(i, field)
      end
    end
  end
  return true
end)

--- How often a command's place is named in an external terminal's.
local function places(command)
  return select(2, command:gsub("%%s", ""))
end

M.external_command = rule("a function or a string with %s", function(value)
  return type(value) == "function" or (type(value) == "string" and (value == "" or places(value) > 0))
end)

local providers = { "auto", "snacks", "native", "external", "none" }

M.provider = rule("one of: " .. table.concat(providers, ", ") .. ", or a table", function(value)
  return type(value) == "table" or vim.list_contains(providers, value)
end, providers)

return M
