--- Connects to the server as Claude does, with its token. The daemon answers as it would Claude,
--- and closes at once: nobody is told of a client, and the last try to connect stays the last.

local M = {}

--- How long it may take. Milliseconds.
M.timeout_ms = 1000

--- Bytes of an answer that are read.
local max_answer = 4096

-- The key, and what is made of it, are those of RFC 6455, 1.3.
local key, accept = "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

---@class (exact) claudecode.Handshake
---@field reached boolean Something listens
---@field ok? boolean
---@field problem? string

local function request(port, token)
  return table.concat({
    "GET / HTTP/1.1",
    "Host: 127.0.0.1:" .. port,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: " .. key,
    "Sec-WebSocket-Protocol: mcp",
    "X-Claude-Code-Ide-Authorization: " .. token,
    "X-Claudecoded-Probe: 1",
    "",
    "",
  }, "\r\n")
end

--- The value of a header field.
local function field(head, name)
  return head:lower():match("\r\n" .. vim.pesc(name) .. ":%s*([^\r]*)")
end

--- What is wrong with an answer.
---@param answer string
---@return string?
local function fault(answer)
  local head, body = answer:match("^(.-\r\n)\r\n(.*)$")
  if not head then
    return "it closed the connection without an answer"
  elseif not head:find("^HTTP/1.1 101 ") then
    local said = vim.trim(body):match("^[^\r\n]*")
    return ("it answered %s: %s"):format(head:match("^HTTP/1.1 (%d+)") or "no HTTP", said:sub(1, 200))
  elseif field(head, "sec-websocket-accept") ~= accept:lower() then
    return "it is no WebSocket server"
  elseif field(head, "sec-websocket-protocol") ~= "mcp" then
    return "it does not speak `mcp`, without which Claude leaves again"
  end
end

---@param port integer
---@param token string
---@return claudecode.Inquiry # Answers a claudecode.Handshake
function M.inquiry(port, token)
  local reached = false
  return {
    ms = M.timeout_ms,
    start = function(done)
      local tcp, read = assert(vim.uv.new_tcp()), ""
      local function close()
        if not tcp:is_closing() then
          tcp:close()
        end
      end
      local function finish(problem)
        close()
        done({ reached = reached, ok = problem == nil, problem = problem })
      end
      tcp:connect("127.0.0.1", port, function(err)
        if err then
          return finish("nothing listens there: " .. err)
        end
        reached = true
        tcp:write(request(port, token))
        tcp:read_start(function(failure, bytes)
          read = read .. (bytes or "")
          if failure then
            finish("the connection failed: " .. failure)
          elseif not bytes or #read >= max_answer or read:find("^HTTP/1.1 101 .-\r\n\r\n") then
            finish(fault(read))
          end
        end)
      end)
      return close
    end,
  }
end

return M
