--- The mentions that no client has been sent yet. They leave in the order they came, one at a
--- time, each once the one before was written. Those that wait for a client wait no longer than
--- the options say, and none is given up without a word.

local clock = require("claudecode.clock")
local log = require("claudecode.log")

local M = {}

--- Mentions that may wait at once.
M.max_queued = 256

--- Mentions that are made in one go leave together, this long after the last.
local debounce_ms = 50

--- Between two of them, for Claude types each into its prompt.
local gap_ms = 25

--- Mentions that a message names.
local max_named = 3

---@class claudecode.Mention
---@field file_path string
---@field start_line? integer From 0
---@field end_line? integer From 0, included
---@field context string
---@field queued_at integer Milliseconds, claudecode.clock
---@field limit integer How long it may wait, milliseconds
---@field on_sent fun(mention: claudecode.Mention)

local queue = {} ---@type claudecode.Mention[]
local sending = false -- the first of the queue is on its way
local stop_waiting ---@type fun()? While a client is waited for

local function server()
  return require("claudecode.server")
end

local function options()
  return require("claudecode").state.config
end

--- When all clients there are can take a notification: a client drops what comes while it is
--- being set up.
---@return integer? ms nil: there is no client
local function ready_in()
  local clients = server().get_status().clients or {}
  if #clients == 0 then
    return nil
  end
  local ready_at = 0
  for _, client in ipairs(clients) do
    ready_at = math.max(ready_at, client.connected_at + options().connection_wait_delay)
  end
  return math.max(0, ready_at - clock.now())
end

--- Names mentions, the last ones only by their number.
---@param mentions claudecode.Mention[]
local function names(mentions)
  local list = {}
  for i = 1, math.min(#mentions, max_named) do
    list[i] = vim.fs.basename((mentions[i].file_path:gsub("(.)/$", "%1")))
  end
  local more = #mentions > max_named and (" and %d more"):format(#mentions - max_named) or ""
  return table.concat(list, ", ") .. more
end

local step

local next_step = clock.one_shot(function()
  step()
end)

local function give_up(ms)
  local why = ("No Claude connected within %g s"):format(ms / 1000)
  log.error("queue", ("%s, so it was not told of %s: start it and send that again"):format(why, names(queue)))
  M.clear()
end

--- Waits for a client, for `connection_timeout` at most.
local function wait_for_client()
  local patience = options().connection_timeout
  stop_waiting = stop_waiting or clock.after(patience, function()
    give_up(patience)
  end)
end

local function end_waiting()
  if stop_waiting then
    stop_waiting()
  end
  stop_waiting = nil
end

--- Removes the mentions that are too old to be meant still.
local function drop_stale()
  local stale = {}
  while queue[1] and clock.now() - queue[1].queued_at > queue[1].limit do
    table.insert(stale, table.remove(queue, 1))
  end
  if #stale > 0 then
    log.warn("queue", ("Claude could not be told in time of %s: send that again"):format(names(stale)))
  end
end

---@param mention claudecode.Mention
---@param n integer How many clients it was written to
local function on_written(mention, n)
  if queue[1] ~= mention then
    return
  end
  sending = false
  if n > 0 then
    table.remove(queue, 1)
    mention.on_sent(mention)
  end
  next_step.start(gap_ms)
end

function step()
  if sending then
    return
  end
  drop_stale()
  if #queue == 0 then
    return end_waiting()
  end
  local wait = ready_in()
  if not wait then
    return wait_for_client()
  end
  end_waiting()
  if wait > 0 then
    return next_step.start(wait)
  end
  local mention = queue[1]
  sending = true
  local params = { filePath = mention.file_path, lineStart = mention.start_line, lineEnd = mention.end_line }
  local taken = server().broadcast("at_mentioned", params, function(n)
    vim.schedule(function()
      on_written(mention, n)
    end)
  end)
  if not taken then
    sending = false
    wait_for_client()
  end
end

--- Adds a mention.
---@param mention claudecode.Mention Without queued_at and limit
---@return boolean ok
---@return string? err
function M.add(mention)
  if #queue >= M.max_queued then
    return false, ("%d @ mentions wait for Claude already"):format(#queue)
  end
  local config = options()
  mention.queued_at = clock.now()
  mention.limit = config.queue_timeout
  if not ready_in() then
    -- A Claude that is only being started is waited for as long as the other option says.
    mention.limit = math.max(mention.limit, config.connection_timeout + config.connection_wait_delay)
    wait_for_client()
  end
  table.insert(queue, mention)
  if config.disable_broadcast_debouncing then
    step()
  else
    next_step.start(debounce_ms)
  end
  return true
end

--- Sends what waits, if there is a client now.
function M.process()
  if #queue > 0 then
    next_step.start(0)
  end
end

--- The mentions that wait, oldest first.
---@return claudecode.Mention[]
function M.list()
  return queue
end

--- Forgets every mention.
function M.clear()
  queue, sending = {}, false
  next_step.stop()
  end_waiting()
end

--- Forgets every mention, and says so if there were any: the server is being stopped.
function M.abandon()
  if #queue > 0 then
    log.warn("queue", "The server stops before Claude was told of " .. names(queue))
  end
  M.clear()
end

return M
