--- The MCP methods in Lua, with the answers that the daemon gives: for messages that do not
--- come through it.

local log = require("claudecode.log")

local M = {}

local function empty()
  return vim.empty_dict()
end

--- Describes a table for the log: its names, and how large what they stand for is.
---@param value any
---@return string
local function sizes(value)
  if type(value) ~= "table" then
    return type(value)
  end
  local parts = {}
  for key, item in pairs(value) do
    local kind = type(item)
    local size = kind == "string" and ("%dB"):format(#item)
      or kind == "table" and ("%d entries"):format(vim.tbl_count(item))
      or kind
    table.insert(parts, ("%s:%s"):format(key, size))
  end
  table.sort(parts)
  return table.concat(parts, " ")
end

--- What a tool says of its failure may quote content.
local function failed(name, err)
  log.debug("server", ("tools/call %s failed: %s, %d bytes"):format(name, err.code, #tostring(err.message)))
  return nil, err
end

M["ping"] = empty
M["notifications/initialized"] = empty

--- The daemon's version, or the plugin's if there is none.
local function version()
  local current = require("claudecode.daemon").current()
  return current and current.ready and current.ready.version or require("claudecode").version:string()
end

M["initialize"] = function()
  return {
    protocolVersion = "2024-11-05",
    capabilities = {
      logging = vim.empty_dict(),
      prompts = { listChanged = true },
      tools = { listChanged = true },
    },
    serverInfo = { name = "claudecode-neovim", version = version() },
  }
end

M["prompts/list"] = function()
  return { prompts = {} }
end

M["tools/list"] = function()
  return { tools = require("claudecode.tools").get_tool_list() }
end

M["tools/call"] = function(client, params)
  local name = type(params) == "table" and tostring(params.name) or "?"
  log.debug("server", ("tools/call %s arguments %s"):format(name, sizes(type(params) == "table" and params.arguments)))
  local answer = require("claudecode.tools").handle_invoke(client, params)
  if answer._deferred then
    return answer
  elseif answer.error then
    return failed(name, answer.error)
  end
  local result, err = require("mcp-tools.outcome").call_result(answer.result)
  if err then
    return failed(name, err)
  end
  log.debug("server", ("tools/call %s result %s"):format(name, sizes(result)))
  return result
end

return M
