--- Options of mcp-tools as they are used; read with dotted paths. What options there are is
--- mcp-tools.options, which is not loaded to say that none was set.

local dotted = require("claudecode.options.dotted")

--- `options` has them all: the defaults until setup().
local M = setmetatable({}, {
  __index = function(config, key)
    if key == "options" then
      config.options = require("mcp-tools.options").defaults()
      return config.options
    end
  end,
})

--- Why the options are unknown that setup() was given, if they are.
---@type string?
M.unread = nil

local given = {} ---@type table

--- Takes the options over. What is unknown or breaks its rule is a warning, and left out.
---@param options? table
function M.setup(options)
  -- Until all is read, nobody knows what they were to close.
  M.unread = "its options cannot be read"
  if options ~= nil and type(options) ~= "table" then
    error(("mcp-tools: setup() takes a table of options, not %s"):format(type(options)), 0)
  end
  local known = require("mcp-tools.options")
  given = known.usable(options or {})
  M.options = known.merged(given)
  M.unread = nil
end

--- Whether every option has its default.
---@return boolean
function M.untouched()
  return rawget(M, "options") == nil and M.unread == nil
end

---@param path string For example "bridge.port"
---@return any value nil if a part of the path is missing
function M.get(path)
  return dotted.get(M.options, path)
end

--- What the user wrote, where a default must not win over what is said elsewhere.
---@param path string
---@return any value nil if it was left to the default
function M.given(path)
  return dotted.get(given, path)
end

return M
