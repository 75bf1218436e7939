--- OpenCode, as opencode.nvim runs it, is told of the server, so that its model has the tools.

local M = {}

--- What OpenCode calls the server.
M.name = "nvim-tools"

--- Before each further try to tell an OpenCode that could not be reached. Milliseconds.
M.retry_ms = { 500, 2000 }

--- How much of an answer a message quotes. Bytes.
local max_quoted = 300

local subscribed = false
local started = false -- whether the server runs for OpenCode

local function bridge()
  return require("mcp-tools.bridge")
end

local function notify(level, message)
  require("claudecode.log").tools(level, message)
end

---@class (exact) mcp_tools.OpenCodeServer
---@field url? string
---@field get_spawn_promise? fun(self: mcp_tools.OpenCodeServer): { and_then: fun(self: any, f: fun(server?: table)) }

--- The OpenCode that runs.
---@return mcp_tools.OpenCodeServer?
local function running()
  return require("opencode.state").opencode_server
end

--- What an OpenCode with a password asks for; versions without one have no such module.
---@return table<string, string>
local function credentials()
  local ok, auth = pcall(require, "opencode.auth")
  return ok and auth.get_auth_headers() or {}
end

--- Says how it went. An answer may quote what was sent, so the token is taken out.
---@param response mcp_tools.Response
---@param token string
local function report(response, token)
  local body = response.body:gsub(vim.pesc(token), "<token>"):sub(1, max_quoted)
  if response.status ~= 200 then
    return notify("error", ("OpenCode returned HTTP %d: %s"):format(response.status, body))
  end
  local ok, answer = pcall(vim.json.decode, response.body)
  local entry = ok and type(answer) == "table" and (answer[M.name] or answer)
  local status = type(entry) == "table" and entry.status
  if status == "connected" then
    if require("mcp-tools.config").get("debug") then
      notify("info", "OpenCode has the editor's tools")
    end
  elseif status == "disabled" then
    notify("warn", "OpenCode has the editor's tools disabled")
  elseif status == "failed" then
    local why = type(entry.error) == "string" and entry.error or "no reason given"
    notify("error", "OpenCode failed to connect to the editor: " .. why)
  else
    notify("warn", "OpenCode said something else than how it went: " .. body)
  end
end

--- Tells an OpenCode of the server, again for a while if it cannot be reached yet.
---@param opencode mcp_tools.OpenCodeServer
---@param port integer
---@param try integer From 1
local function register(opencode, port, try)
  local token = bridge().get_auth_token()
  if running() ~= opencode or not opencode.url or not token then
    return
  end
  local body = {
    name = M.name,
    config = {
      type = "remote",
      url = ("http://127.0.0.1:%d/mcp"):format(port),
      headers = { Authorization = "Bearer " .. token },
    },
  }
  local url = opencode.url:gsub("/$", "") .. "/mcp"
  require("mcp-tools.integrations.curl").post(url, credentials(), body, function(err, response)
    if response then
      report(response, token)
    elseif M.retry_ms[try] then
      vim.defer_fn(function()
        register(opencode, port, try + 1)
      end, M.retry_ms[try])
    elseif running() == opencode then
      notify("error", "Failed to reach OpenCode: " .. err)
    end
  end)
end

--- An OpenCode was started: once it listens, it is told.
---@param opencode mcp_tools.OpenCodeServer
local function appeared(opencode)
  opencode:get_spawn_promise():and_then(vim.schedule_wrap(function()
    if running() ~= opencode then
      return
    end
    local first = bridge().when_ready(function(port)
      register(opencode, port, 1)
    end)
    started = started or first
  end))
end

--- There is no OpenCode any more. Who else uses the server goes on.
local function gone()
  if started then
    started = false
    bridge().stop()
  end
end

--- Looks out for OpenCode, in whichever of the two ways its state has.
function M.setup()
  if subscribed then
    return
  end
  local ok, state = pcall(require, "opencode.state")
  if not ok then
    error("opencode.nvim is not there", 0)
  end
  local subscribe = (state.store or state).subscribe
  if not vim.is_callable(subscribe) then
    error("this opencode.nvim has no opencode.state that can be subscribed to", 0)
  end
  subscribe("opencode_server", function(_, opencode)
    if opencode then
      appeared(opencode)
    else
      gone()
    end
  end)
  subscribed = true
  if running() then
    appeared(running())
  end
end

return M
