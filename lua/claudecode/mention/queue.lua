--- The mentions that no client has been sent yet. They leave in the order they came, one at a
--- time, each once the one before was written. Those that wait for a client wait no longer than
--- the options say, and none is given up without a word.

local log = require("claudecode.log")

local M = {}

--- Mentions that may wait at once.
M.max_queued = 256

--- Mentions that are made in one go leave together, this long after the last.
local debounce_ms = 50

--- Between two of them, for Claude types each into its prompt.
local gap_ms = 25

---@class claudecode.Mention
---@field file_path string
---@field start_line? integer From 0
---@field end_line? integer From 0, included
---@field context string
---@field queued_at integer Milliseconds, vim.uv.now()
---@field limit integer How long it may wait, milliseconds
---@field on_sent fun(mention: claudecode.Mention)

local queue = {} ---@type claudecode.Mention[]
local sending = false -- the first of the queue is on its way
local step_timer, patience_timer

local function server()
  return require("claudecode.server")
end

local function options()
  return require("claudecode").state.config
end

local function stop(timer)
  if timer and not timer:is_closing() then
    timer:stop()
    timer:close()
  end
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
  return math.max(0, ready_at - vim.uv.now())
end

local function give_up()
  log.error("queue", ("Connection timeout - clearing %d queued @ mentions"):format(#queue))
  M.clear()
end

local step

local function step_in(ms)
  stop(step_timer)
  step_timer = vim.defer_fn(function()
    step()
  end, ms)
end

--- Waits for a client, for `connection_timeout` at most.
local function wait_for_client()
  if not patience_timer then
    patience_timer = vim.defer_fn(function()
      patience_timer = nil
      give_up()
    end, options().connection_timeout)
  end
end

local function stop_waiting()
  stop(patience_timer)
  patience_timer = nil
end

--- Removes the mentions that are too old to be meant still.
local function drop_stale()
  while queue[1] and vim.uv.now() - queue[1].queued_at > queue[1].limit do
    local stale = table.remove(queue, 1)
    log.warn("queue", "Claude could not be told of it in time, not sent: " .. stale.file_path)
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
  step_in(gap_ms)
end

function step()
  if sending then
    return
  end
  drop_stale()
  if #queue == 0 then
    return stop_waiting()
  end
  local wait = ready_in()
  if not wait then
    return wait_for_client()
  end
  stop_waiting()
  if wait > 0 then
    return step_in(wait)
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
  mention.queued_at = vim.uv.now()
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
    step_in(debounce_ms)
  end
  return true
end

--- Sends what waits, if there is a client now.
function M.process()
  if #queue > 0 then
    step_in(0)
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
  stop(step_timer)
  stop_waiting()
end

--- Forgets every mention, and says so if there were any: the server is being stopped.
function M.abandon()
  if #queue > 0 then
    log.warn("queue", ("%d @ mentions were not sent"):format(#queue))
  end
  M.clear()
end

return M
