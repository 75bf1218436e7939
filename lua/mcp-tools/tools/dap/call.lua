--- Calls of the debugger's tools: they wait for what adapters answer and for what programs do, never
--- in the editor's way, and always with an end.

local calls = require("mcp-tools.call")
local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

--- How long a call may wait for something, whatever it asks for. Milliseconds.
M.max_wait_ms = 60 * 60 * 1000

--- How often a client is told that its call still waits.
M.progress_ms = 1000

--- How long before the end of the call's time the answer must be on its way.
local margin_ms = 200

--- Makes the function of a tool run in pieces; see mcp-tools.call.
---@param tool mcp_tools.Tool Without execute
---@param run fun(call: mcp_tools.WaitingCall, args: table): any
---@return mcp_tools.Tool
function M.tool(tool, run)
  tool.timeout = 0 -- its own limits end it
  return calls.tool(tool, function(call, args)
    call.deadline = vim.uv.now() + (call.ctx.remaining_ms or 2 * M.max_wait_ms) - margin_ms
    return run(call, args)
  end)
end

--- A limit that a client gives, no longer than its call may take.
---@param call mcp_tools.WaitingCall
---@param ms any
---@param default integer
---@return integer ms
function M.limit(call, ms, default)
  ms = type(ms) == "number" and math.floor(ms) or default
  return math.max(1, math.min(ms, M.max_wait_ms, call:left_ms()))
end

---@class (exact) mcp_tools.dap.Wait
---@field ms integer
---@field begin? fun(finish: fun(value: any)) What is done once the wait has begun
---@field message? string What the client is told meanwhile

--- Reports to the client now and then.
local function report(call, wait, timer, began)
  timer:start(
    M.progress_ms,
    M.progress_ms,
    vim.schedule_wrap(function()
      if not timer:is_closing() then
        call.ctx.progress((vim.uv.now() - began) / 1000, wait.ms / 1000, wait.message)
      end
    end)
  )
end

--- Waits until `test` returns something, which is asked after each change of a session.
---@generic T
---@param call mcp_tools.WaitingCall
---@param test fun(): T?
---@param wait mcp_tools.dap.Wait
---@return T? value nil: it took too long
function M.await(call, test, wait)
  return call:await(function(resume)
    local clock, ticker = assert(vim.uv.new_timer()), assert(vim.uv.new_timer())
    local unsubscribe, forget, ended
    local function finish(value)
      if ended then
        return
      end
      ended = true
      unsubscribe()
      forget()
      clock:close()
      ticker:close()
      resume(value)
    end
    local function look()
      local value = test()
      if value ~= nil then
        finish(value)
      end
    end
    unsubscribe, forget = tracks.subscribe(look), call:on_stop(finish)
    clock:start(wait.ms, 0, vim.schedule_wrap(finish))
    if wait.message then
      report(call, wait, ticker, vim.uv.now())
    end
    look()
    if wait.begin and not ended then
      wait.begin(finish)
    end
  end)
end

---@class (exact) mcp_tools.dap.Answer
---@field err? string
---@field timeout? boolean
---@field body? table

--- What an adapter says went wrong: its message for users is often more than the short one.
---@param err any
---@return string?
function M.reason(err)
  if not err then
    return nil
  end
  local told = type(err) == "table" and vim.tbl_get(err, "body", "error")
  if type(told) ~= "table" or type(told.format) ~= "string" then
    -- What nvim-dap itself says is a plain table.
    local plain = type(err) == "table" and not getmetatable(err) and err.message
    return tostring(plain or err)
  end
  local values = type(told.variables) == "table" and told.variables or {}
  return (
    told.format:gsub("{([%w_]+)}", function(name)
      return values[name] ~= nil and tostring(values[name]) or nil
    end)
  )
end

--- Waits for the answer to what `send` asks an adapter, or until `test` returns one.
---@param call mcp_tools.WaitingCall
---@param ms integer
---@param send fun(answer: fun(err: any, body?: any))
---@param test? fun(): mcp_tools.dap.Answer?
---@return mcp_tools.dap.Answer? answer nil: it took too long
function M.exchange(call, ms, send, test)
  local function begin(finish)
    local ok, raised = pcall(send, function(err, body)
      finish({ err = M.reason(err), body = body })
    end)
    if not ok then
      finish({ err = tostring(raised) })
    end
  end
  return M.await(call, test or function() end, { ms = ms, begin = begin })
end

--- Has the adapter stop working on what nobody waits for any more.
local function abandon(session, seq)
  if seq and session.capabilities.supportsCancelRequest and not session.closed then
    pcall(session.request, session, "cancel", { requestId = seq }, function() end)
  end
end

--- Sends a request and waits for the answer.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param command string
---@param arguments? table
---@param ms integer
---@return mcp_tools.dap.Answer
function M.ask(call, track, command, arguments, ms)
  local session = track.session
  local seq = session.seq
  local forget = call:on_stop(function()
    abandon(session, seq)
  end)
  local answer = M.exchange(call, ms, function(answer)
    session:request(command, arguments, answer)
  end, function()
    return track.closed and { err = "the debug session ended" } or nil
  end)
  forget()
  if not answer then
    abandon(session, seq)
  end
  return answer or { timeout = true }
end

--- Sends a request and returns the answer's body; if there is none, the call fails.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param command string
---@param arguments? table
---@param ms any The limit that the client gave
---@return table body
function M.request(call, track, command, arguments, ms)
  local answer = M.ask(call, track, command, arguments, M.limit(call, ms, M.request_ms))
  if answer.timeout then
    call:fail(command .. " request timed out")
  elseif answer.err then
    call:fail(answer.err)
  elseif not answer.body then
    call:fail("No response received from debug adapter")
  end
  return answer.body
end

--- How long an adapter may take to answer if the client does not say.
M.request_ms = 5000

M.timeout_arg = {
  type = "number",
  description = "How long the debug adapter may take to answer, in milliseconds",
  default = M.request_ms,
  min = 0,
}

return M
