--- What Claude was told last, and the telling: each report once, and not too many of them.

local clock = require("claudecode.clock")
local payload = require("claudecode.selection.payload")

local M = {}

local method = "selection_changed"

--- Notifications within any so many milliseconds, which are at most ten in a second wherever it
--- begins. What comes sooner waits, and the newest wins.
M.max_burst = 5
M.burst_ms = 600

local latest ---@type claudecode.Selection?
local latest_buf ---@type integer?
local sent = {} ---@type number[] when the last notifications left, oldest first

local function server()
  return require("claudecode.server")
end

local function count_one()
  table.insert(sent, clock.now())
  if #sent > M.max_burst then
    table.remove(sent, 1)
  end
end

local function broadcast()
  local told = M.latest()
  if told then
    count_one()
    server().broadcast(method, told)
  end
end

local waiting = clock.one_shot(broadcast)

--- Tells everybody what is latest, now or as soon as it may be told.
function M.repeat_latest()
  local wait = #sent < M.max_burst and 0 or sent[1] + M.burst_ms - clock.now()
  if wait > 0 then
    return waiting.start(wait)
  end
  waiting.stop()
  broadcast()
end

local function same(a, b)
  return a.filePath == b.filePath and a.text == b.text and vim.deep_equal(a.selection, b.selection)
end

--- Takes a report as the latest without telling it.
---@param report? claudecode.Selection nil is none: there is nothing that Claude may know
---@param buf integer
function M.set(report, buf)
  if report then
    latest, latest_buf = report, buf
  end
end

--- Takes a report as the latest and tells it, unless it says what was said.
---@param report? claudecode.Selection As in set()
---@param buf integer
---@return boolean news
function M.record(report, buf)
  if not report or latest and same(latest, report) then
    return false
  end
  M.set(report, buf)
  M.repeat_latest()
  return true
end

--- The latest report, as far as the options let it out now.
---@return claudecode.Selection?
---@return integer? buf
function M.latest()
  if not require("claudecode").state.config.track_selection then
    return nil
  elseif latest and latest.filePath then
    return payload.filtered(latest, latest_buf --[[@as integer]]), latest_buf
  end
  return latest
end

--- Tells one client what is latest, whether or not it knows.
---@param client string|integer
function M.tell(client)
  local told = M.latest()
  if told and told.filePath then
    count_one()
    server().send(client, method, told)
  end
end

--- A buffer is no more: what was in it is forgotten, here and by Claude.
---@param buf integer
function M.forget(buf)
  if latest_buf == buf then
    M.record(payload.nothing(), buf)
    latest_buf = nil
  end
end

--- Forgets everything.
function M.clear()
  waiting.stop()
  latest, latest_buf, sent = nil, nil, {}
end

return M
