--- A call of a tool that waits: written as one function, run in pieces.
---
--- The function runs in a coroutine. It waits with await(), and gives the editor its turn with
--- pause(), which every loop over what came from elsewhere calls. What the user types comes between two
--- pieces only if these are apart by a timer: scheduled ones all run before the next key.

local json = require("mcp-tools.json")
local slices = require("mcp-tools.slices")

local M = {}

--- How long a call may wait if neither the tool nor its caller says so.
M.default_ms = 30000

--- How long before the end of the call's time the answer must be on its way.
local margin_ms = 200

---@class (exact) mcp_tools.WaitingCall
---@field name string Of the tool
---@field ctx mcp_tools.Context
---@field ended boolean
---@field notes string[] What the client is told besides the result
---@field deadline integer vim.uv.now() at which nothing is waited for any more
---@field slice_end number
---@field stops table<fun(), true> what is to run if the call ends before its function does
---@field thread thread
---@field finish fun(result?: any, err?: any)
local Call = {}
Call.__index = Call

--- Runs the function on, up to where it waits next.
local function step(call, ...)
  if call.ended then
    return
  end
  call.slice_end = vim.uv.hrtime() + slices.piece_ms * 1e6
  local ok, result = coroutine.resume(call.thread, ...)
  if not ok then
    local told = type(result) == "table" and result.told
    call.finish(nil, told or "Tool execution error: " .. tostring(result))
  elseif coroutine.status(call.thread) == "dead" then
    call.finish(result)
  end
end

--- Waits until `resume` is called, which start() is given, and returns what it was called with.
---@param start fun(resume: fun(...: any))
function Call:await(start)
  local results, waiting
  start(function(...)
    if results then
      return
    end
    results = { n = select("#", ...), ... }
    if not waiting then
      return
    elseif vim.in_fast_event() then
      vim.schedule(function()
        step(self)
      end)
    else
      step(self)
    end
  end)
  if not results then
    waiting = true
    coroutine.yield()
  end
  return unpack(results, 1, results.n)
end

--- Gives the editor its turn if this piece took long enough.
---@param now? boolean However long it took
---@return boolean paused
function Call:pause(now)
  if not now and vim.uv.hrtime() < self.slice_end then
    return false
  end
  self:await(function(resume)
    vim.defer_fn(resume, slices.pause_ms)
  end)
  return true
end

--- Ends the call with an error that the client reads as it is.
---@param message string
function Call:fail(message) -- luacheck: no self
  error({ told = message }, 0)
end

--- Tells the client something besides the result.
---@param text string
function Call:note(text)
  if not vim.list_contains(self.notes, text) then
    table.insert(self.notes, text)
  end
end

--- How long the call may still wait.
---@return integer ms
function Call:left_ms()
  return math.max(0, self.deadline - vim.uv.now())
end

--- Has f run if the call is cancelled.
---@param f fun()
---@return fun() forget
function Call:on_stop(f)
  self.stops[f] = true
  return function()
    self.stops[f] = nil
  end
end

--- A result with the notes as a text of its own behind it.
local function with_notes(result, notes)
  if #notes == 0 then
    return result
  end
  local text = type(result) == "string" and result or json.encode(result)
  return {
    content = { { type = "text", text = text }, { type = "text", text = table.concat(notes, "\n") } },
  }
end

--- Makes `run` the function of a tool, whose result is the tool's. It may wait as
--- long as the tool may, or the default if its user takes time too.
---@param tool mcp_tools.Tool Without execute
---@param run fun(call: mcp_tools.WaitingCall, args: table): any
---@return mcp_tools.Tool
function M.tool(tool, run)
  function tool.execute(cb, args, ctx)
    local limit = (tool.timeout or 0) > 0 and tool.timeout or M.default_ms
    local call = setmetatable({
      name = tool.name,
      ctx = ctx,
      ended = false,
      notes = {},
      deadline = vim.uv.now() + math.min(limit, ctx.remaining_ms or limit) - margin_ms,
      slice_end = 0,
      stops = {},
    }, Call)
    function call.finish(result, err)
      call.ended = true
      if err then
        return cb(nil, err)
      end
      cb(with_notes(result, call.notes))
    end
    call.thread = coroutine.create(run)
    slices.adopt(call.thread, function(now)
      return call:pause(now)
    end)
    ctx.on_cancel(function()
      call.ended = true
      for f in pairs(call.stops) do
        f()
      end
    end)
    step(call, call, args)
  end
  return tool
end

return M
