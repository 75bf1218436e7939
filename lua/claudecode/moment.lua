--- Safe moments: when windows may open and take the focus, because nothing that the user types
--- can end up in them. What waits for one is run by events and by one timer; nothing polls.

local clock = require("claudecode.clock")

local api, fn = vim.api, vim.fn

local M = {}

--- How long no key was typed when a moment is safe.
M.quiet_ms = 300

--- How many may wait at once.
M.max_waiting = 1024

local typing = "the middle of typing"
local suspended_reason, detached_reason = "suspended", "no user interface"

--- By the start of a mode's name, longest first.
local modes = {
  { "ni", "Insert mode" },
  { "nt", "Terminal mode" },
  { "no", "Operator-pending mode" },
  { "cv", "Ex mode" },
  { "i", "Insert mode" },
  { "R", "Replace mode" },
  { "c", "Command-line mode" },
  { "t", "Terminal mode" },
  { "[vV\22]", "Visual mode" },
  { "[sS\19]", "Select mode" },
  { "", "a prompt" },
}

---@class claudecode.Waiter
---@field run fun()
---@field name string
---@field on_wait? fun(reason: string)
---@field reason? string What it was last told

local waiting = {} ---@type claudecode.Waiter[]
local serving = false
local last_key = 0 -- when, by the clock
local left_mode ---@type string? The mode that the last one left the editor in, until a key is typed
local unsettled = false -- whether what the last one did, like :startinsert, may yet have to take effect
local suspended = false
-- Without `--headless` Neovim starts with a user interface.
local had_ui = #api.nvim_list_uis() > 0 or not vim.list_contains(vim.v.argv, "--headless")

local namespace = api.nvim_create_namespace("claudecode.moment")

local function quiet_for()
  return clock.now() - last_key
end

---@param mode string
---@return string? reason
local function mode_reason(mode)
  -- Where a terminal was left for another window, its mode goes on until Neovim notices.
  local safe = mode == "n" or mode == "nt" or mode == left_mode
  if mode == "t" then
    safe = require("claudecode.terminal").runs_claude(api.nvim_get_current_buf())
  end
  if safe then
    return nil
  end
  for _, entry in ipairs(modes) do
    if mode:find("^" .. entry[1]) then
      return entry[2]
    end
  end
end

--- Why what is known outside of a scheduled call rules out a safe moment.
---@return string?
local function obstacle()
  if suspended then
    return suspended_reason
  elseif had_ui and #api.nvim_list_uis() == 0 then
    return detached_reason
  end
  local mode = api.nvim_get_mode()
  local reason = mode.blocking and "a prompt" or mode_reason(mode.mode)
  if reason then
    return reason
  elseif fn.getcmdwintype() ~= "" then
    return "the command-line window"
  elseif fn.reg_recording() ~= "" then
    return "a macro recording"
  elseif fn.reg_executing() ~= "" then
    return "a macro"
  elseif quiet_for() < M.quiet_ms then
    return typing
  end
end

--- Whether SafeState is triggered at times: not in Terminal mode, nor in a script that runs for
--- nobody.
local function settles()
  return had_ui and api.nvim_get_mode().mode ~= "t"
end

--- Why it is not safe now to open windows. It is never safe in an autocommand.
---@return string? reason nil if it is
function M.reason()
  local reason = obstacle()
  -- S: SafeState cannot be triggered, as in a `:sleep`, getchar() or vim.wait() of a mapping.
  local flags = settles() and "moaxS" or "moax"
  return reason or (fn.state(flags) ~= "" and "the middle of a command") or nil
end

--- Notices keys as long as that matters. Those before are not known, so one may just have been
--- typed; which would delay everything, so keys are noticed from the start of the server on.
local watching = false
local function watch_keys()
  local wanted = serving or #waiting > 0
  if wanted == watching then
    return
  end
  watching, last_key = wanted, clock.now()
  vim.on_key(wanted and function(_, typed)
    if typed ~= "" then
      last_key, left_mode = clock.now(), nil
    end
  end or nil, namespace)
end

local act

local scheduled = false
local function act_soon()
  if not scheduled then
    scheduled = true
    vim.schedule(act)
  end
end

local quiet = clock.one_shot(act_soon)

--- Goes on waiting: for the end of the quiet time, else for an event.
---@param reason string
local function wait_for(reason)
  if reason == typing then
    quiet.start(M.quiet_ms - quiet_for())
  end
  for _, waiter in ipairs(vim.list_slice(waiting)) do
    if waiter.on_wait and waiter.reason ~= reason then
      waiter.reason = reason
      waiter.on_wait(reason)
    end
  end
end

--- Something happened after which it may be safe. In SafeState itself it is not: nested
--- autocommands would not run.
local function look()
  unsettled = false
  local reason = obstacle()
  if reason then
    wait_for(reason)
  else
    act_soon()
  end
end

local group = api.nvim_create_augroup("ClaudeCodeMoment", { clear = true })
local listening ---@type integer?

local function listen()
  watch_keys()
  if #waiting > 0 and not listening then
    -- SafeState comes after everything that a user can do, but not in Terminal mode.
    local events = { "SafeState", "ModeChanged" }
    listening = api.nvim_create_autocmd(events, { group = group, callback = look, desc = "Runs what waits" })
  elseif #waiting == 0 and listening then
    api.nvim_del_autocmd(listening)
    listening = nil
    quiet.stop()
  end
end

-- Whoever attaches is there, even if another user interface is suspended.
api.nvim_create_autocmd({ "VimSuspend", "VimResume", "UIEnter" }, {
  group = group,
  desc = "Knows whether the user is there",
  callback = function(args)
    suspended = args.event == "VimSuspend"
    had_ui = had_ui or args.event == "UIEnter"
    if #waiting > 0 then
      look()
    end
  end,
})

--- Runs the first that waits, if it is safe.
local busy = false
function act()
  scheduled = false
  if #waiting == 0 or busy or (unsettled and settles()) then
    return
  end
  local reason = M.reason()
  if reason then
    return wait_for(reason)
  end
  local waiter = table.remove(waiting, 1)
  busy = true
  local ok, err = pcall(waiter.run)
  busy = false
  if not ok then
    require("claudecode.log").error("moment", waiter.name .. ": " .. tostring(err))
  end
  left_mode = api.nvim_get_mode().mode
  listen()
  -- Before the next one comes SafeState, where there is one.
  unsettled = true
  if #waiting > 0 and not settles() then
    act_soon()
  end
end

--- Runs a function in the next safe moment, after those that wait already; one runs in a moment.
--- Raises an error if too many wait.
---@param f fun()
---@param options? { name?: string, on_wait?: fun(reason: string) } name is shown to the user; on_wait
--- is told why it has to wait, and again whenever that changes
---@return fun() cancel After it f does not run any more
function M.run(f, options)
  if #waiting >= M.max_waiting then
    error(("More than %d calls wait for a safe moment"):format(M.max_waiting), 0)
  end
  options = options or {}
  local waiter = { run = f, name = options.name or "a function", on_wait = options.on_wait }
  table.insert(waiting, waiter)
  listen()
  act_soon()
  return function()
    waiting = vim.tbl_filter(function(other)
      return other ~= waiter
    end, waiting)
    listen()
  end
end

--- Tells whether a server runs, for which keys are noticed before anything waits.
---@param running boolean
function M.set_serving(running)
  serving = running
  watch_keys()
end

--- What waits and why, in a sentence for the user.
---@return string? sentence nil if nothing waits
function M.summary()
  if #waiting == 0 then
    return nil
  end
  local names = vim.tbl_map(function(waiter)
    return waiter.name
  end, waiting)
  local reason = M.reason() or typing
  local away = reason == suspended_reason or reason == detached_reason
  return ("%d %s for you: %s (%s%s)"):format(
    #names,
    #names == 1 and "call waits" or "calls wait",
    table.concat(names, ", "),
    away and "" or "you are in ",
    reason
  )
end

return M
