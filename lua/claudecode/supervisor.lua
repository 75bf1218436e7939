--- Keeps the server up. A daemon that died is launched again, on the same port with the same
--- token, so that Claude, which tries for 14 s to come back, finds what it lost.

local daemon = require("claudecode.daemon")
local handover = require("claudecode.handover")
local lockfile = require("claudecode.lockfile")
local log = require("claudecode.log")

local M = {}

--- Milliseconds. Internal, no option: only tests set others.
M.times = {
  restarts = { 100, 500, 1000, 2000, 5000 }, -- before each restart within the window
  window = 60000,
  port_patience = 14000, -- while Claude tries to come back to a port, it is not given up
  port_retry = 250,
}

local served ---@type claudecode.Supervised?

local try

---@param it claudecode.Supervised
---@param ms integer
local function try_later(it, ms)
  it.timer = vim.defer_fn(function()
    it.timer = nil
    if served == it then
      try(it)
    end
  end, ms)
end

---@param it claudecode.Supervised
local function cancel_try(it)
  if it.timer and not it.timer:is_closing() then
    it.timer:close()
  end
  it.timer = nil
end

--- Nothing is tried any more. A daemon that died, noticed or not, left its lock file behind.
---@param it claudecode.Supervised
local function abandon(it)
  served = nil
  cancel_try(it)
  if it.ready then
    lockfile.release(it.ready.lock_file)
  end
end

--- There is no server any more, nor will be.
---@param it claudecode.Supervised
---@param err? string Why it never was ready
local function over(it, err)
  abandon(it)
  it.events.on_over(err)
end

--- The daemon died, or died again before it was ready. The user hears only of the last time.
---@param it claudecode.Supervised
---@param why string
local function died(it, why)
  local now = vim.uv.now()
  it.restarts = vim.tbl_filter(function(time)
    return now - time < M.times.window
  end, it.restarts)
  local delay = M.times.restarts[#it.restarts + 1]
  if not delay then
    log.error("daemon", why)
    return over(it)
  end
  table.insert(it.restarts, now)
  log.debug("daemon", ("%s; it is started again in %d ms"):format(why, delay))
  try_later(it, delay)
end

--- The port that clients know is somebody else's: waits for it, then takes another.
---@param it claudecode.Supervised
local function port_taken(it)
  local now = vim.uv.now()
  it.port_deadline = it.port_deadline or now + M.times.port_patience
  if now < it.port_deadline then
    return try_later(it, M.times.port_retry)
  end
  it.lost_port, it.port = it.port, nil
  try(it)
end

---@param it claudecode.Supervised
---@param ready claudecode.Ready
local function succeeded(it, ready)
  local moved = it.lost_port
  it.port, it.token, it.ready = ready.port, ready.token, ready
  it.port_deadline, it.lost_port = nil, nil
  handover.prepare()
  it.events.on_ready(ready)
  if moved then
    local text = "port %d was taken, Claude Code integration is on port %d now: connect Claude with /ide"
    log.warn("daemon", text:format(moved, ready.port))
  end
end

---@param it claudecode.Supervised
try = function(it)
  local config = it.config
  if it.port then
    config = vim.tbl_extend("force", config, { port_range = { min = it.port, max = it.port } })
  end
  daemon.launch(config, it.token, function(err, ready, reason)
    if served ~= it then
      return
    elseif ready then
      succeeded(it, ready)
    elseif it.stopping then
      over(it, err)
    elseif it.port and reason == "port" then
      port_taken(it)
    elseif it.ready then
      died(it, err)
    else
      over(it, err)
    end
  end, function(why)
    if served ~= it then
      return
    elseif not why then
      return over(it)
    end
    it.events.on_lost()
    died(it, why)
  end)
end

--- Neovim leaves: nothing is started any more, and :restart takes along what clients know.
local function leave()
  local it = served
  if not it then
    return
  end
  abandon(it)
  if it.port and it.token then
    handover.leave(it.port, it.token)
  end
end

--- Launches the daemon and keeps it running until stop().
---@param config claudecode.Config
---@param token? string The daemon makes one if it is absent
---@param events claudecode.ServerEvents
function M.start(config, token, events)
  local inherited = handover.take()
  served = { ---@type claudecode.Supervised
    config = config,
    token = token or inherited and inherited.token,
    port = inherited and inherited.port,
    events = events,
    restarts = {},
    stopping = false,
  }
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = vim.api.nvim_create_augroup("ClaudeCodeSupervisor", { clear = true }),
    desc = "Ends the care for the Claude Code server",
    callback = leave,
  })
  try(served)
end

--- Ends the daemon, or the tries to start it again, and waits for its end.
---@return boolean stopped false if there was nothing
function M.stop()
  local it = served
  if it then
    it.stopping = true
    cancel_try(it)
  end
  local stopped = daemon.stop()
  if it and served == it then
    over(it)
  end
  return stopped or it ~= nil
end

return M
