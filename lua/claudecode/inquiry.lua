--- Asks the daemon how it and its clients are. It may be stopped or busy, so nothing here waits
--- for an answer longer than it is told to.

local daemon = require("claudecode.daemon")

local M = {}

---A call in flight.
---@class (exact) claudecode.ReportedCall
---@field tool string
---@field age_ms integer
---@field waiting string What keeps it from running, "" if nothing does

---@class (exact) claudecode.ReportedClient
---@field id integer The number n of client_<n>
---@field state "connecting"|"upgrading"|"connected"|"closing"
---@field connected_ms integer
---@field unsent integer Bytes that the system has not taken yet
---@field pong_ms integer How long ago it last answered a ping, or was connected; 0 before
---@field name string Of its initialize, "" before it
---@field version string
---@field pid integer 0 if it did not say
---@field calls claudecode.ReportedCall[]

---The last try to connect.
---@class (exact) claudecode.ReportedUpgrade
---@field client integer
---@field accepted boolean
---@field reason string Of a refusal
---@field ago_ms integer

---A client of HTTP.
---@class (exact) claudecode.ReportedGuest
---@field id string mcp_<n> or http_<n>
---@field name string What it calls itself, "" if it does not
---@field revision string Of the protocol
---@field age_ms integer
---@field heard_ms integer How long ago it last asked for something
---@field calls claudecode.ReportedCall[]

---@class (exact) claudecode.ReportedConnection
---@field id integer
---@field age_ms integer
---@field busy boolean It waits for an answer or has a stream open

---See PROTOCOL.md, `status`.
---@class (exact) claudecode.Report
---@field running boolean
---@field port integer
---@field pid integer
---@field version string
---@field uptime_ms integer
---@field clients claudecode.ReportedClient[]
---@field last_upgrade? claudecode.ReportedUpgrade
---@field called table<string, integer> How often each tool was called
---@field left_out table<string, string> Why each tool is not offered that clients would choke on
---@field guests claudecode.ReportedGuest[]
---@field connections claudecode.ReportedConnection[]

---What is not answered yet, and who waits for it.
---@class (exact) claudecode.Asked
---@field id integer
---@field daemon claudecode.Daemon
---@field callbacks table<integer, fun(report: claudecode.Report)>

local asked ---@type claudecode.Asked?
local last_id = 0

--- Asks, unless an answer is on its way already.
---@param callback fun(report: claudecode.Report) Never called if there is no daemon, or it ends
---@return fun() cancel After it the callback is not called any more
function M.ask(callback)
  local current = daemon.current()
  last_id = last_id + 1
  local id = last_id
  if not asked or asked.daemon ~= current then
    asked = current and { id = id, daemon = current, callbacks = {} }
    daemon.notify("report", { id = id })
  end
  local mine = asked
  if mine then
    mine.callbacks[id] = callback
  end
  return function()
    if mine then
      mine.callbacks[id] = nil
    end
  end
end

--- The daemon answered.
---@param id integer
---@param report claudecode.Report
function M.on_report(id, report)
  if not asked or asked.id ~= id then
    return
  end
  local callbacks = asked.callbacks
  asked = nil
  for _, callback in vim.spairs(callbacks) do
    callback(report)
  end
end

return M
