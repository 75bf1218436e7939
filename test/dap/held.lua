-- Returned is a table: longest() is the longest time for which the editor's loop did not look for input since
-- the last call of it, and the longest that a piece of a tool, or a listener of ours, took. In
-- milliseconds of the processor, so that what else the machine does is left out. listeners() has those
-- measured, too, once they are there.
local M = {}

local loop, looked, ours, depth = 0, os.clock(), 0, 0

local function timed(f)
  return function(...)
    depth = depth + 1
    local began = os.clock()
    local results = { n = select("#", ...), pcall(f, ...) }
    depth = depth - 1
    if depth == 0 then
      ours = math.max(ours, (os.clock() - began) * 1e3)
    end
    assert(results[1], results[2])
    return unpack(results, 2, table.maxn(results))
  end
end

-- Pieces of tools: the coroutines that they are.
local create, resume, threads = coroutine.create, coroutine.resume, setmetatable({}, { __mode = "k" })
rawset(coroutine, "create", function(f)
  local thread = create(f)
  if debug.getinfo(2, "S").source:find("mcp-tools/call.lua", 1, true) then
    threads[thread] = true
  end
  return thread
end)
local timed_resume = timed(resume)
rawset(coroutine, "resume", function(thread, ...)
  return (threads[thread] and timed_resume or resume)(thread, ...)
end)
local registry = require("mcp-tools.registry")
registry.execute = timed(registry.execute)

function M.listeners()
  for _, when in pairs({ require("dap").listeners.before, require("dap").listeners.after }) do
    for _, listeners in pairs(when) do
      listeners["mcp-tools"] = listeners["mcp-tools"] and timed(listeners["mcp-tools"])
    end
  end
end

local check, prepare = assert(vim.uv.new_check()), assert(vim.uv.new_prepare())
check:start(function()
  looked = os.clock()
end)
prepare:start(function()
  loop = math.max(loop, (os.clock() - looked) * 1e3)
  looked = os.clock()
end)

function M.longest()
  local result = { loop, ours }
  loop, ours = 0, 0
  return result
end

return M
