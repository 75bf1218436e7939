--- :ClaudeCodeActivity: what each client does, right now and before, as long as the window is open.

local daemon = require("claudecode.daemon")
local words = require("claudecode.words")

local M = {}

---@class (exact) claudecode.CallNow
---@field client string
---@field name string What the client calls itself, may be empty
---@field tool string
---@field age_ms integer
---@field waiting string What keeps it from running, "" if nothing does

---@class (exact) claudecode.CallPast
---@field client string
---@field name string
---@field tool string
---@field ago_ms integer
---@field took_ms integer
---@field waited_ms integer
---@field outcome "ok"|"failed"|"denied"|"unanswered"|"cancelled"|"late"|"gone"|"stopped"
---@field rule string
---@field bytes_in integer
---@field bytes_out integer

---See PROTOCOL.md, `activity`.
---@class (exact) claudecode.ActivityReport
---@field now claudecode.CallNow[]
---@field past claudecode.CallPast[]
---@field clients { client: string, name: string }[]

local asked = 0 -- the id of the last question
local take ---@type fun(report: claudecode.ActivityReport)? of the answer to it
local report ---@type claudecode.ActivityReport?

local outcomes = {
  ok = "done",
  late = "too late",
  gone = "its client left",
  unanswered = "you did not answer",
  stopped = "the server stopped",
}

local function who(entry)
  return entry.name == "" and entry.client or ("%s (%s)"):format(entry.client, entry.name)
end

--- What a call does.
---@param call claudecode.CallNow
local function doing(call)
  if call.waiting ~= "" then
    return vim.startswith(call.waiting, "waits") and call.waiting or ("waits (%s)"):format(call.waiting)
  end
  return call.tool:find("openDiff$") and "waits for your review" or "runs"
end

---@param call claudecode.CallPast
local function ended(call)
  local outcome = outcomes[call.outcome] or call.outcome
  local took = call.took_ms < 1000 and call.took_ms .. " ms" or words.span(call.took_ms)
  local sizes = ("%s in, %s out"):format(words.bytes(call.bytes_in), words.bytes(call.bytes_out))
  local rule = (call.outcome == "denied" and call.rule ~= "") and (", %s"):format(call.rule) or ""
  return ("%s%s after %s, %s"):format(outcome, rule, took, sizes)
end

---@param lines string[]
---@param heading string
---@param rows string[][]
---@param nothing string
local function section(lines, heading, rows, nothing)
  table.insert(lines, heading)
  vim.list_extend(lines, #rows > 0 and words.columns(rows) or { "  " .. nothing })
  table.insert(lines, "")
end

--- What is shown of a report.
---@param it? claudecode.ActivityReport
---@return string[]
function M.compose(it)
  if not daemon.current() then
    return { "No server runs." }
  elseif not it then
    return { "The daemon has not answered yet." }
  end
  local lines = {}
  section(
    lines,
    "Now",
    vim.tbl_map(function(call)
      return { words.span(call.age_ms), words.plain(who(call)), call.tool, doing(call) }
    end, it.now),
    "Nothing runs."
  )
  section(
    lines,
    "Clients",
    vim.tbl_map(function(client)
      return { words.plain(who(client)) }
    end, it.clients),
    "No client is connected."
  )
  section(
    lines,
    "Before",
    vim.tbl_map(function(call)
      return { words.span(call.ago_ms) .. " ago", words.plain(who(call)), call.tool, ended(call) }
    end, it.past),
    "Nothing was called."
  )
  table.remove(lines)
  return lines
end

--- The daemon answered.
---@param id integer
---@param answer claudecode.ActivityReport
function M.on_activity(id, answer)
  if id == asked and take then
    take(answer)
  end
end

--- The command.
function M.open()
  report = nil
  require("claudecode.live_view").open({
    title = "Claude Code activity",
    footer = "q: close",
    filetype = "claudecode-activity",
    lines = function()
      return M.compose(report)
    end,
    ask = function(show)
      asked = asked + 1
      take = function(answer)
        report = answer
        show()
      end
      daemon.notify("activity", { id = asked })
      return function()
        take = nil
      end
    end,
  })
end

return M
