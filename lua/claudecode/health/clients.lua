--- Who connected, and what they did.

local clock = require("claudecode.clock")
local words = require("claudecode.words")

local health = vim.health
local M = {}

--- What can be done about a refusal, by a part of its reason.
local remedies = {
  {
    "Missing authentication header",
    "The client found no lock file of this port: it has another CLAUDE_CONFIG_DIR or HOME, or the file was missing",
  },
  {
    "authentication token",
    "The client remembers the token of an earlier server, and never reads the lock file again: /ide, or start it anew",
  },
  { "Too many clients", "Close one, or raise daemon.max_clients" },
  { "Host", "Name the host in daemon.allowed_hosts, if it is yours" },
  { "Origin", "A web page tried to connect: this is refused whatever it presents" },
}

---@param reason string
local function remedy(reason)
  local known = vim.iter(remedies):find(function(entry)
    return reason:find(entry[1], 1, true) ~= nil
  end)
  return known and known[2] or "It does not speak as Claude does: is it another program?"
end

local how_to_connect = {
  "`claude --ide` in the folder of this editor, or /ide in a Claude that runs",
  "A Claude that could not connect when it started, or gave up after 14 s, does not try again: /ide",
  "`claude -p` never connects",
}

---@param report claudecode.Report
local function check_upgrade(report)
  local last = report.last_upgrade
  if not last then
    health.info("nobody has tried to connect since the daemon started")
  elseif last.accepted then
    health.ok("last try to connect: " .. words.upgrade(last))
  else
    health.warn("last try to connect: " .. words.upgrade(last), remedy(last.reason))
  end
end

---@param report claudecode.Report
local function check_clients(report)
  local connected = 0
  for _, client in ipairs(report.clients) do
    if client.state == "connected" then
      connected = connected + 1
      health.ok(("%s, %s"):format(words.client(client), words.pulse(client)))
    elseif client.state ~= "connecting" then -- as the handshake above may still be
      health.info(("%s, %s unsent"):format(words.client(client), words.bytes(client.unsent)))
    end
    for _, call in ipairs(client.calls) do
      health.info(("client_%d: in flight: %s"):format(client.id, words.call(call)))
    end
  end
  if connected == 0 then
    health.info("no Claude is connected. " .. table.concat(how_to_connect, ". "))
  end
end

---@param report claudecode.Report
local function check_guests(report)
  for _, guest in ipairs(report.guests) do
    health.ok(words.guest(guest))
    for _, call in ipairs(guest.calls) do
      health.info(("%s: in flight: %s"):format(guest.id, words.call(call)))
    end
  end
  if #report.guests == 0 then
    health.info("no client uses the tools over HTTP")
  end
  if #report.connections > 0 then
    health.info(words.connections(report.connections))
  end
end

--- Without the daemon, what the editor remembers of it.
---@param status { clients: claudecode.Client[]? }
local function check_mirror(status)
  for _, client in ipairs(status.clients or {}) do
    health.info(("%s: connected for %s"):format(client.id, words.span(clock.now() - client.connected_at)))
  end
  if #(status.clients or {}) == 0 then
    health.info("no Claude is connected")
  end
end

---@param report claudecode.Report
local function check_tools(report)
  local listed = vim.tbl_map(function(tool)
    return tool.name
  end, require("claudecode.tools").get_tool_list())
  local called = {}
  for name, n in vim.spairs(report.called) do
    table.insert(called, n == 1 and name or ("%s (%d times)"):format(name, n))
  end
  health.info(("%s listed: %s"):format(words.count(#listed, "tool is", "tools are"), table.concat(listed, ", ")))
  health.info("called since the daemon started: " .. (#called > 0 and table.concat(called, ", ") or "none"))
  health.info("Claude shows its model only getDiagnostics of them; the others it calls by itself, or never")
end

local function check_edits()
  local asked, unseen = require("claudecode.auto_mode").seen()
  if asked > 0 then
    health.ok(("Claude asked for your review %s"):format(words.count(asked, "time")))
  end
  if unseen > 0 then
    health.warn(("Claude wrote a file without asking: %s"):format(words.count(unseen, "time")), {
      "It was in auto mode, its default, or accepts edits. For diffs: `claude --permission-mode default`",
      "or shift+tab in Claude, until it shows neither",
      'diffTool must not be "terminal" in Claude\'s configuration',
    })
  elseif asked == 0 then
    health.info("Claude has changed no file, as far as is known")
  end
end

---@param facts claudecode.Facts
function M.check(facts)
  if not facts.ready then
    return
  end
  health.start("claudecode: clients")
  local report = facts.report
  if report then
    check_upgrade(report)
    check_clients(report)
    check_guests(report)
    check_tools(report)
  else
    check_mirror(facts.status)
  end
  check_edits()
end

return M
