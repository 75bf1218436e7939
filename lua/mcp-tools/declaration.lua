--- What a tool must be that is registered. A tool that clients would choke on is refused here, where
--- whoever wrote it sees it; what schemas say is checked by the daemon.

local rules = require("claudecode.options.rules")

local M = {}

--- With the prefix that clients of the MCP endpoint see, a name has as many bytes as MCP allows.
local max_name = 128 - #require("mcp-tools.permissions.names").prefix

local plain_name = {
  expected = ("letters, digits, _ - and . only, %d at most"):format(max_name),
  holds = function(value)
    return type(value) == "string" and #value <= max_name and value:find("^[%w_.-]+$") ~= nil
  end,
}

local schema_or_false = {
  expected = "a table, or false",
  holds = function(value)
    return value == false or type(value) == "table"
  end,
}

local names = {
  expected = "a list of names",
  holds = function(value)
    return type(value) == "table"
      and vim.islist(value)
      and vim.iter(value):all(function(name)
        return type(name) == "string"
      end)
  end,
}

--- The fields.
---@type table<string, claudecode.Rule>
local fields = {
  name = plain_name,
  title = rules.string,
  description = rules.string,
  args = rules.table,
  input_schema = schema_or_false,
  output_schema = rules.table,
  annotations = rules.table,
  icons = rules.table,
  _meta = rules.table,
  ide = rules.boolean,
  mcp = rules.boolean,
  ui = rules.boolean,
  timeout = rules.not_negative,
  result_limit = rules.not_negative,
  policy = rules.one_of("allow", "ask", "deny"),
  policy_args = names,
  paths = rules.callable,
}

--- And in `annotations`.
---@type table<string, claudecode.Rule>
local hints = {
  title = rules.string,
  readOnlyHint = rules.boolean,
  destructiveHint = rules.boolean,
  idempotentHint = rules.boolean,
  openWorldHint = rules.boolean,
}

--- The first field, by name, that breaks its rule, and what is wrong with it.
---@param prefix string
---@param known table<string, claudecode.Rule>
---@param values table
---@return string?
local function broken(prefix, known, values)
  local first ---@type string?
  for name, value in pairs(values) do
    local rule = known[name]
    if rule and not rule.holds(value) and (not first or name < first) then
      first = name
    end
  end
  if first then
    local shown = vim.inspect(values[first], { newline = " ", indent = "" })
    return ("%s%s must be %s, not %s"):format(prefix, first, known[first].expected, shown)
  end
end

--- What is wrong with the arguments.
---@return string?
local function args_problem(args)
  for key, spec in require("claudecode.sorted")(args) do
    if type(key) ~= "string" then
      return ("args[%s]: the name of an argument must be a string"):format(tostring(key))
    elseif type(spec) ~= "table" then
      return ("args.%s must be a table"):format(key)
    end
  end
end

local function icons_problem(icons)
  for i, icon in ipairs(icons) do
    if type(icon) ~= "table" or type(icon.src) ~= "string" then
      return ("icons[%d].src must be a string"):format(i)
    end
  end
end

--- Names a field that breaks its rule.
---@param tool table
---@return string? problem nil if there is none
function M.problem(tool)
  local wrong = broken("", fields, tool)
  if not wrong and tool.annotations then
    wrong = broken("annotations.", hints, tool.annotations)
  end
  return wrong or tool.args and args_problem(tool.args) or icons_problem(tool.icons or {})
end

return M
