--- When Claude is told of a selection, and for how long the selection stays with it.
---
--- Most events only restart a timer, and what is current when it runs out is reported. Three
--- are reported at once: the end of Visual mode (a selection may last no longer than two keys),
--- the cursor's leaving a selection that was released, and a change of its text.
---
--- A released selection is held: it is what Claude has until the cursor moves away, another
--- selection starts, an operator consumes it, its text changes, or the user goes to another file.
--- Claude's terminal, and every buffer of which Claude may know nothing, is passed over as if the
--- user had stayed where they were.

local clock = require("claudecode.clock")
local filter = require("claudecode.selection.filter")
local held = require("claudecode.selection.held")
local outbox = require("claudecode.selection.outbox")
local payload = require("claudecode.selection.payload")

local M = {}

local api = vim.api

local debounce_ms = 100

local events = {
  "BufEnter",
  "CursorMoved",
  "CursorMovedI",
  "ModeChanged",
  "TextChanged",
  "TextChangedI",
  "TextChangedP",
}

--- Set while somebody listens.
local group ---@type integer?

--- Set from the first time on until everything is forgotten.
local forgetting ---@type integer?

--- Where Visual mode began, while it lasts. An operator is told by the tick.
local visual ---@type { buf: integer, tick: integer }?

local demotion ---@type claudecode.OneShot
local delay_ms ---@type number? In place of the option

local function is_visual(mode)
  return mode:find("^[vV\22]") ~= nil
end

local function passed_over(buf)
  return require("claudecode.terminal").runs_claude(buf) or filter.of(buf) == "none"
end

local function tick(buf)
  return api.nvim_buf_get_changedtick(buf)
end

--- The mode, if it is Visual in a buffer of which Claude is told: an area on the screen.
local function live_mode()
  local mode = api.nvim_get_mode().mode
  return is_visual(mode) and not passed_over(api.nvim_get_current_buf()) and mode or nil
end

--- Nothing is held any more: the cursor of the buffer takes its place.
local function replace(buf)
  held.drop()
  demotion.stop()
  outbox.record(payload.cursor(buf), buf)
end

held.on_changed = replace

--- Visual mode ended.
---@param old string The mode
---@param new string
local function release(old, new)
  local was = visual
  visual = nil
  if not was or not api.nvim_buf_is_loaded(was.buf) or passed_over(was.buf) then
    return
  elseif tick(was.buf) ~= was.tick then
    return replace(was.buf)
  end
  -- Select mode shows the same area, and has not set the marks yet.
  local report = new:find("^[sS\19]") and payload.live(old) or payload.released(was.buf, old)
  if report and not report.selection.isEmpty then
    held.hold(was.buf, report)
    outbox.record(report, was.buf)
  end
end

local function begin_visual(buf)
  visual = { buf = buf, tick = tick(buf) }
  if not passed_over(buf) then
    held.drop()
    demotion.stop()
  end
end

--- The buffer of the window the user came from.
local function previous_buf()
  local win = vim.fn.win_getid(vim.fn.winnr("#"))
  return win > 0 and api.nvim_win_get_buf(win) or api.nvim_get_current_buf()
end

--- Reports what is current.
---@return boolean news
local function update()
  local buf = api.nvim_get_current_buf()
  if passed_over(buf) then
    local before = previous_buf()
    return not outbox.latest() and not passed_over(before) and outbox.record(payload.cursor(before), before)
  end
  local mode = live_mode()
  if mode then
    return outbox.record(payload.live(mode), buf)
  elseif held.is_in(buf) then
    if held.is_left() then
      demotion.start(delay_ms or require("claudecode").state.config.visual_demotion_delay_ms)
    end
    return false
  end
  held.drop()
  return outbox.record(payload.cursor(buf), buf)
end

local debounce = clock.one_shot(update)

--- A released selection was left, and nothing noticed: autocommands were off.
demotion = clock.one_shot(function()
  local buf = api.nvim_get_current_buf()
  if live_mode() or passed_over(buf) or not held.is_left() then
    return
  elseif held.is_in(buf) then
    replace(buf)
  else
    held.drop()
  end
end)

local handlers = {}

function handlers.ModeChanged(buf)
  local old, new = vim.v.event.old_mode, vim.v.event.new_mode
  if is_visual(new) and not is_visual(old) then
    begin_visual(buf)
  elseif is_visual(old) and not is_visual(new) then
    release(old, new)
  end
end

function handlers.CursorMoved(buf)
  if held.is_in(buf) and not visual and held.is_left() then
    replace(buf)
  end
end
handlers.CursorMovedI = handlers.CursorMoved

--- What changes the text while Visual mode goes on is no operator.
function handlers.TextChanged(buf)
  if visual and visual.buf == buf then
    visual.tick = tick(buf)
  end
end

local function forget(event)
  if held.is_in(event.buf) then
    held.drop()
  end
  outbox.forget(event.buf)
end

local function autocmd(in_group, event, desc, callback)
  api.nvim_create_autocmd(event, { group = in_group, desc = desc, callback = callback })
end

--- Begins to listen, for there is somebody to tell. What was held when nobody was left may have
--- changed since.
function M.start()
  if group then
    return
  end
  group = api.nvim_create_augroup("ClaudeCodeSelection", { clear = true })
  autocmd(group, events, "Tells Claude what is selected", function(event)
    if not require("claudecode").state.config.track_selection then
      return M.stop()
    elseif handlers[event.event] then
      handlers[event.event](api.nvim_get_current_buf())
    end
    debounce.start(debounce_ms)
  end)
  autocmd(group, "BufWritePost", "Knows a write from an operator", function(event)
    handlers.TextChanged(event.buf)
  end)
  forgetting = api.nvim_create_augroup("ClaudeCodeSelectionForget", { clear = true })
  autocmd(forgetting, { "BufDelete", "BufWipeout" }, "Forgets what was selected", forget)
  held.verify()
  M.spend(nil)
  if is_visual(api.nvim_get_mode().mode) then
    begin_visual(api.nvim_get_current_buf())
  end
end

--- Ends that for as long as nobody is there, and keeps what is held for Claude to come back to.
function M.pause()
  if group then
    api.nvim_del_augroup_by_id(group)
  end
  group, visual = nil, nil
  debounce.stop()
  demotion.stop()
end

--- Ends it, and keeps nothing of what was selected.
function M.stop()
  M.pause()
  if forgetting then
    api.nvim_del_augroup_by_id(forgetting)
  end
  forgetting = nil
  held.drop()
  outbox.clear()
end

---@return boolean
function M.listening()
  return group ~= nil
end

--- Reports what is current now, if the timer was to do so.
---@return boolean news
function M.refresh()
  debounce.stop()
  return update()
end

--- A prompt used up what was held: unless the user selected something since, or has an area on
--- the screen, only the file is left of it. Claude is not told here.
---@param at_prompt? claudecode.HeldSelection What was held when the prompt was sent
function M.spend(at_prompt)
  local _, buf = outbox.latest()
  local now = held.get()
  if live_mode() or now and now ~= at_prompt then
    return
  end
  held.drop()
  demotion.stop()
  if buf and api.nvim_buf_is_valid(buf) then
    outbox.set(payload.cursor(buf), buf)
  end
end

---@param ms? number In place of the option `visual_demotion_delay_ms`
function M.set_demotion_delay(ms)
  delay_ms = ms
end

return M
