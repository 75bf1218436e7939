--- What is measured inside Neovim: the clock of its thread, and what the daemon does without the daemon.

local ffi = require("ffi")

ffi.cdef([[
  typedef struct { long s, ns; } measured_time;
  int clock_gettime(int clock, measured_time *time);
]])

local M = {}

local thread_clock = 3 -- CLOCK_THREAD_CPUTIME_ID of Linux
local time = ffi.new("measured_time")

--- How long this thread has run, in microseconds.
---@return number
function M.thread()
  assert(ffi.C.clock_gettime(thread_clock, time) == 0)
  return tonumber(time.s) * 1e6 + tonumber(time.ns) / 1e3
end

--- Starts the server and waits for it.
---@param binary string
---@return { port: integer, token: string }
function M.serve(binary)
  require("claudecode").setup({ auto_start = false, daemon = { cmd = binary } })
  assert(require("claudecode").start(false))
  require("mcp-tools").register({
    name = "later",
    description = "After 5 ms",
    execute = function(cb)
      vim.defer_fn(function()
        cb("done")
      end, 5)
    end,
  })
  local state = require("claudecode").state
  return { port = state.port, token = state.auth_token }
end

--- The server's process.
---@return integer pid
function M.daemon()
  return vim.fn.jobpid(require("claudecode.daemon").current().channel)
end

--- The function behind a tool.
function M.folders()
  return require("mcp-tools.registry").execute("getWorkspaceFolders", {}, {})
end

--- The one that ends later; its end is told to a channel.
---@param channel integer
function M.later(channel)
  require("mcp-tools.registry").execute("later", {}, {
    on_done = function()
      vim.rpcnotify(channel, "done")
    end,
  })
end

local began

--- Sets up the plugin, which starts the server by itself.
---@param binary string
function M.setup(binary)
  began = M.thread()
  require("claudecode").setup({ daemon = { cmd = binary } })
end

--- What that has cost until now, in microseconds, and the port.
---@return { us: number, port: integer? }
function M.set_up()
  return { us = M.thread() - began, port = require("claudecode").state.port }
end

return M
