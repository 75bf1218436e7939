--- The daemon's process and its port.

local handshake = require("claudecode.health.handshake")
local words = require("claudecode.words")

local health = vim.health
local M = {}

--- How long the daemon may take to report. Milliseconds.
M.timeout_ms = 1000

---@return claudecode.Inquiry # Answers a claudecode.Report
function M.inquiry()
  return {
    ms = M.timeout_ms,
    start = function(done)
      return require("claudecode.inquiry").ask(done)
    end,
  }
end

---@param facts claudecode.Facts
local function check_daemon(facts)
  local ready, report = facts.ready, facts.report
  local described = ("daemon pid %d, version %s"):format(ready.pid, ready.version)
  if report then
    health.ok(("running on port %d, %s, up for %s"):format(ready.port, described, words.span(report.uptime_ms)))
  else
    local text = "running on port %d, %s, but it has not answered within %d s"
    health.error(
      text:format(ready.port, described, M.timeout_ms / 1000),
      { "It may be stopped: kill -CONT " .. ready.pid, "Else :ClaudeCodeStop and :ClaudeCodeStart" }
    )
  end
end

---@param facts claudecode.Facts
local function check_port(facts)
  local port, answer = facts.ready.port, facts.handshake or { reached = false }
  if answer.ok then
    health.ok(("port %d listens, and a WebSocket handshake with the token succeeds"):format(port))
  elseif answer.problem then
    health.error(
      ("a handshake with port %d fails: %s"):format(port, answer.problem),
      answer.reached and ":ClaudeCodeStop and :ClaudeCodeStart; :ClaudeCodeLog may say more"
        or "The daemon has lost its port: :ClaudeCodeStop and :ClaudeCodeStart"
    )
  else
    health.error(
      ("port %d has not answered a handshake within %d s"):format(port, handshake.timeout_ms / 1000),
      "The daemon is stopped or busy: see above"
    )
  end
end

---@param facts claudecode.Facts
function M.check(facts)
  health.start("claudecode: server")
  if facts.status.restarting then
    return health.warn(
      ("the daemon died and is being started again on port %d"):format(facts.status.port),
      ":ClaudeCodeLog"
    )
  elseif not facts.ready then
    return health.warn("the server is not running", ":ClaudeCodeStart")
  end
  check_daemon(facts)
  check_port(facts)
end

return M
