--- What the daemon tells and asks this editor: one function for each message of PROTOCOL.md.

local daemon = require("claudecode.daemon")
local log = require("claudecode.log")
local moment = require("claudecode.moment")
local server = require("claudecode.server")

local M = {}

local handlers = {}

handlers.attached = server.attach
handlers.failed = daemon.on_failed
handlers.locked = daemon.on_locked
handlers.client_opened = server.on_client_opened
handlers.client_ready = server.on_client_ready
handlers.client_closed = server.on_client_closed
handlers.written = server.on_written

function handlers.report(id, report)
  require("claudecode.inquiry").on_report(id, report)
end

--- Says which files a call stands for.
---@param name string
---@param arguments string JSON text of an object
---@return { paths?: string[], error?: string }
function handlers.paths(_, name, arguments)
  local ok, args = pcall(vim.json.decode, arguments, { luanil = { object = true, array = true } })
  if not ok or type(args) ~= "table" then
    return { error = "arguments must be an object" }
  end
  local paths, err = require("mcp-tools.permissions.paths").of(name, args)
  return { paths = paths, error = err }
end

function handlers.ask(question)
  require("mcp-tools.permissions.ask").on_ask(question)
end

function handlers.ask_withdrawn(token)
  require("mcp-tools.permissions.ask").on_withdrawn(token)
end

function handlers.turns_changed(news)
  require("claudecode.turns.latest").on_changed(news)
end

for _, question in ipairs({ "turns", "turn", "turn_file", "put" }) do
  handlers[question] = function(id, answer)
    require("claudecode.turns.ask").on_answer(id, answer)
  end
end

function handlers.activity(id, activity_report)
  require("claudecode.activity_view").on_activity(id, activity_report)
end

function handlers.call(...)
  return require("claudecode.calls").run(...)
end

function handlers.cancel(token)
  require("claudecode.calls").cancel(token)
end

---@param ready claudecode.Ready
function handlers.ready(ready)
  moment.set_serving(true)
  daemon.on_ready(ready)
end

--- The daemon is gone, and with it everybody who waited for a call.
function M.cancel_all()
  moment.set_serving(false)
  local ask = package.loaded["mcp-tools.permissions.ask"]
  if ask then
    ask.withdraw_all()
  end
  for _, name in ipairs({ "ask", "latest" }) do
    local module = package.loaded["claudecode.turns." .. name]
    if module then
      module.on_gone()
    end
  end
  local calls = package.loaded["claudecode.calls"]
  if calls then
    calls.cancel_all()
  end
end

---@param level "error"|"warn"|"info"
---@param message string
function handlers.log(level, message)
  local write = ({ error = log.error, warn = log.warn, info = log.info })[level] or log.warn
  write("daemon", message)
end

--- Runs one message. The daemon calls it through nvim_exec_lua.
---@param name string
---@param ... any
---@return any
function M.handle(name, ...)
  local handler = handlers[name]
  if not handler then
    error(("claudecode: unknown message %q"):format(name), 0)
  end
  return handler(...)
end

return M
