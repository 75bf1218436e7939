--- Options: the defaults, the merge, and the rules an option must keep.

local M = {}

---@type claudecode.Config
M.defaults = {
  port_range = { min = 10000, max = 65535 },
  auto_start = true,
  log_level = "info",
  daemon = {},
  env = {},
  track_selection = true,
  focus_after_send = false,
  visual_demotion_delay_ms = 50,
  connection_wait_delay = 600,
  connection_timeout = 10000,
  queue_timeout = 5000,
  models = {
    { name = "Claude Opus (Latest)", value = "opus" },
    { name = "Claude Opus (Latest, 1M context)", value = "opus[1m]" },
    { name = "Claude Sonnet (Latest)", value = "sonnet" },
    { name = "Claude Sonnet (Latest, 1M context)", value = "sonnet[1m]" },
    { name = "Claude Haiku (Latest)", value = "haiku" },
    { name = "Default (account recommended)", value = "default" },
  },
  diff_opts = {},
  terminal = {},
}

local log_levels = { "trace", "debug", "info", "warn", "error" }

local function is(...)
  local types = { ... }
  return function(value)
    return vim.list_contains(types, type(value))
  end
end

local function at_least(minimum)
  return function(value)
    return type(value) == "number" and value >= minimum
  end
end

local function above(limit)
  return function(value)
    return type(value) == "number" and value > limit
  end
end

local function whole_above_zero(value)
  return value == nil or (type(value) == "number" and value >= 1 and value == math.floor(value))
end

local function is_port_range(range)
  return type(range) == "table"
    and type(range.min) == "number"
    and type(range.max) == "number"
    and range.min > 0
    and range.max <= 65535
    and range.min <= range.max
end

local function is_command(cmd)
  if type(cmd) == "table" then
    return vim.islist(cmd) and #cmd > 0 and vim.iter(cmd):all(is("string"))
  end
  return cmd == nil or (type(cmd) == "string" and cmd ~= "")
end

local function is_list_of_names(names)
  return names == nil
    or (
      type(names) == "table"
      and vim.islist(names)
      and vim.iter(names):all(function(name)
        return type(name) == "string" and name ~= ""
      end)
    )
end

--- In the order they are checked: path of the option, its rule, the error.
---@type { [1]: string, [2]: (fun(value: any): boolean), [3]: string }[]
local rules = {
  { "port_range", is_port_range, "Invalid port range" },
  { "auto_start", is("boolean"), "auto_start must be a boolean" },
  { "terminal_cmd", is("string", "nil"), "terminal_cmd must be nil or a string" },
  { "terminal", is("table"), "terminal must be a table" },
  {
    "log_level",
    function(level)
      return vim.list_contains(log_levels, level)
    end,
    "log_level must be one of: " .. table.concat(log_levels, ", "),
  },
  { "track_selection", is("boolean"), "track_selection must be a boolean" },
  { "focus_after_send", is("boolean"), "focus_after_send must be a boolean" },
  { "visual_demotion_delay_ms", at_least(0), "visual_demotion_delay_ms must be a non-negative number" },
  { "connection_wait_delay", at_least(0), "connection_wait_delay must be a non-negative number" },
  { "connection_timeout", above(0), "connection_timeout must be a positive number" },
  { "queue_timeout", above(0), "queue_timeout must be a positive number" },
  { "diff_opts", is("table"), "diff_opts must be a table" },
  { "env", is("table"), "env must be a table" },
  { "models", is("table"), "models must be a table" },
  { "daemon", is("table"), "daemon must be a table" },
  { "daemon.cmd", is_command, "daemon.cmd must be a string or a list of strings" },
  { "daemon.log_file", is("string", "nil"), "daemon.log_file must be a string" },
  { "daemon.ping_interval_ms", whole_above_zero, "daemon.ping_interval_ms must be a positive integer" },
  { "daemon.max_clients", whole_above_zero, "daemon.max_clients must be a positive integer" },
  { "daemon.allowed_hosts", is_list_of_names, "daemon.allowed_hosts must be a list of names" },
}

local function validate_env(env)
  for key, value in pairs(env) do
    assert(type(key) == "string", "env keys must be strings")
    assert(type(value) == "string", "env values must be strings")
  end
end

local function validate_models(models)
  assert(#models > 0, "models must not be empty")
  for i, model in ipairs(models) do
    assert(type(model) == "table", ("models[%d] must be a table"):format(i))
    for _, field in ipairs({ "name", "value" }) do
      local text = model[field]
      assert(type(text) == "string" and text ~= "", ("models[%d].%s must be a non-empty string"):format(i, field))
    end
  end
end

--- Raises the message of the first rule that an option breaks.
---@param config table
---@return true
function M.validate(config)
  for _, rule in ipairs(rules) do
    local path, holds, message = unpack(rule)
    if not holds(vim.tbl_get(config, unpack(vim.split(path, ".", { plain = true })))) then
      error(message, 0)
    end
  end
  validate_env(config.env)
  validate_models(config.models)
  return true
end

--- Merges the user's options over the defaults; lists are replaced whole. Unknown keys are kept.
---@param options? table
---@return claudecode.Config
function M.apply(options)
  local config = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), options or {})
  M.validate(config)
  return config
end

return M
