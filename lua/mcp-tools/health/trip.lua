--- One call of a tool over the whole way: over HTTP to the daemon, from there into the editor, and
--- back. The tool is there for the call only, and no client is shown it.

local registry = require("mcp-tools.registry")

local M = {}

--- How long it may take. Milliseconds.
M.timeout_ms = 1500

--- How long after a try the next one follows, while the tool is not known. Milliseconds.
local retry_ms = 20

--- Bytes of an answer that are read.
local max_answer = 16 * 1024

local name, answer = "health_trip", "arrived"

local revision = "2026-07-28"

---@class (exact) mcp_tools.Trip
---@field ok? boolean
---@field problem? string

--- The rule that would ask or refuse, if there is one: the user is asked nothing here.
---@return string? label
function M.held_by()
  for _, rule in ipairs(require("mcp-tools.permissions").rules()) do
    if rule.action ~= "allow" and require("mcp-tools.permissions.names").mean(rule.tool, name) then
      return rule.label
    end
  end
end

local function request(port, token)
  local meta = "io.modelcontextprotocol/"
  local body = vim.json.encode({
    jsonrpc = "2.0",
    id = 1,
    method = "tools/call",
    params = {
      name = "nvim_" .. name,
      arguments = vim.empty_dict(),
      _meta = { [meta .. "protocolVersion"] = revision, [meta .. "clientCapabilities"] = vim.empty_dict() },
    },
  })
  return table.concat({
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1:" .. port,
    "Authorization: Bearer " .. token,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: " .. revision,
    "Mcp-Method: tools/call",
    "Mcp-Name: nvim_" .. name,
    "Content-Length: " .. #body,
    "Connection: close",
    "",
    body,
  }, "\r\n")
end

--- What is wrong with an answer.
---@param text string
---@return string?
local function fault(text)
  local status = text:match("^HTTP/1.1 (%d+)")
  if not status then
    return "it closed the connection without an answer"
  elseif status == "200" and text:find('"' .. answer .. '"', 1, true) then
    return nil
  end
  local said = vim.trim(text:match("\r\n\r\n(.*)$") or ""):match("^[^\r\n]*")
  return ("it answered %s: %s"):format(status, said:sub(1, 200))
end

--- Sends the request.
---@param done fun(problem?: string)
---@return fun() close
local function post(port, token, done)
  local tcp, read = assert(vim.uv.new_tcp()), ""
  local function close()
    if not tcp:is_closing() then
      tcp:close()
    end
  end
  local function finish(problem)
    close()
    done(problem)
  end
  tcp:connect("127.0.0.1", port, function(err)
    if err then
      return finish("nothing listens there: " .. err)
    end
    tcp:write(request(port, token))
    tcp:read_start(function(failure, bytes)
      read = read .. (bytes or "")
      if failure then
        finish("the connection failed: " .. failure)
      elseif not bytes or #read >= max_answer then
        finish(fault(read))
      end
    end)
  end)
  return close
end

---@param port integer
---@param token string
---@return claudecode.Inquiry # Answers a mcp_tools.Trip
function M.inquiry(port, token)
  return {
    ms = M.timeout_ms,
    start = function(done)
      local over, close = false, function() end
      local function finish(problem)
        over = true
        done({ ok = problem == nil, problem = problem })
      end
      registry.register({
        name = name,
        description = "Answers",
        input_schema = false,
        paths = function()
          return {}
        end,
        execute = function(cb)
          cb(answer)
        end,
      })
      local function try()
        if over then
          return
        end
        close = post(port, token, function(problem)
          -- The daemon prepares a tool that is new before it knows it.
          if problem and problem:find("Unknown tool", 1, true) then
            return vim.defer_fn(try, retry_ms)
          end
          finish(problem)
        end)
      end
      try()
      return function()
        over = true
        close()
      end
    end,
  }
end

--- The tool is not needed any more.
function M.clear()
  registry.unregister(name)
end

return M
