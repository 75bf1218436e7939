--- The selection: tracked while a Claude is connected, and answered to whoever asks.

local clock = require("claudecode.clock")
local filter = require("claudecode.selection.filter")
local held = require("claudecode.selection.held")
local log = require("claudecode.log")
local outbox = require("claudecode.selection.outbox")
local payload = require("claudecode.selection.payload")
local tracker = require("claudecode.selection.tracker")

local M = {}

local api = vim.api

--- Claude drops what comes within 100 ms of the answer to its tools/list.
local ready_ms = 500

--- And forgets its selection when a prompt is sent, which is over after this long.
local prompt_ms = 300

local off = false -- by disable()

--- Whether the user lets Claude know what is selected.
---@return boolean
function M.is_enabled()
  return not off and require("claudecode").state.config.track_selection
end

--- Listens if there is somebody to tell, and else does nothing at all.
local function adjust()
  local server = require("claudecode.server")
  if not M.is_enabled() or not server.state.server then
    tracker.stop()
  elseif server.get_status().client_count > 0 then
    tracker.start()
  else
    tracker.pause()
  end
end

--- Tracks the selection whenever a Claude is connected, if the option `track_selection` is on.
---@param _ any Was the server once
---@param visual_demotion_delay_ms? number In place of the option
function M.enable(_, visual_demotion_delay_ms)
  off = false
  tracker.set_demotion_delay(visual_demotion_delay_ms)
  adjust()
end

--- Tracks nothing any more, and forgets what was tracked.
function M.disable()
  off = true
  adjust()
end

--- A client came or left, or the server ended.
M.on_clients = adjust

--- Tells a client what is current, so much later.
---@param before fun() Runs first
local function tell_later(client, ms, before)
  clock.after(ms, function()
    adjust()
    if tracker.listening() then
      before()
      if not tracker.refresh() then
        outbox.tell(client)
      end
    end
  end)
end

--- A client was told the tools, and soon takes notifications.
---@param client integer
function M.on_ready(client)
  tell_later(client, ready_ms, function() end)
end

--- A prompt was sent with what is selected. Claude is told again of an area that is still on the
--- screen, and else only of the file.
---@param client string client_<n>
function M.on_prompt(client)
  local at_prompt = held.get()
  tell_later(client, prompt_ms, function()
    tracker.spend(at_prompt)
  end)
end

--- How much of a buffer may leave the editor.
---@param buf integer
---@return claudecode.Filtered
function M.filter_of(buf)
  return filter.of(buf)
end

--- What Claude was told last, brought up to date; nil if tracking is off, and while nothing may
--- be told.
---@return claudecode.Selection?
function M.get_latest_selection()
  if not M.is_enabled() then
    return nil
  elseif not tracker.listening() then
    return M.get_visual_selection() or M.get_cursor_position()
  end
  tracker.refresh()
  local latest = outbox.latest()
  return latest and latest.filePath and latest or nil
end

--- The file of the current buffer, without a cursor.
---@return claudecode.Selection? selection nil where nothing may be told
function M.get_open_file()
  return payload.file(api.nvim_get_current_buf())
end

--- What is selected in the current buffer.
---@return claudecode.Selection? selection nil outside of Visual mode, and where nothing may be told
function M.get_visual_selection()
  local mode = api.nvim_get_mode().mode
  return mode:find("^[vV\22]") and payload.live(mode) or nil
end

--- The cursor of the current buffer.
---@return claudecode.Selection? selection nil where nothing may be told
function M.get_cursor_position()
  return payload.cursor(api.nvim_get_current_buf())
end

--- Whole lines of the current buffer.
---@param first integer From 1
---@param last integer From 1, included; cut at the buffer's end
---@return claudecode.Selection? selection nil for lines that are none, and where nothing may be told
function M.get_range_selection(first, last)
  local count = api.nvim_buf_line_count(0)
  if not first or not last or first < 1 or last < first or first > count then
    return nil
  end
  return payload.lines(api.nvim_get_current_buf(), first, math.min(last, count))
end

--- Mentions whole lines of the current buffer, or what `:ClaudeCodeSend` does without a range.
---@param first? integer From 1
---@param last? integer From 1, included
function M.send_at_mention_for_visual_selection(first, last)
  require("claudecode.mention.commands").send({ range = first and 2 or 0, line1 = first, line2 = last or first })
end

--- Tells every Claude what is selected, again if they were told.
---@return boolean sent
function M.send_current_selection()
  if not M.is_enabled() then
    log.error("selection", "Selection tracking is not enabled.")
    return false
  elseif not tracker.listening() then
    log.error("selection", "Claude Code integration is not running.")
    return false
  end
  if not tracker.refresh() then
    outbox.repeat_latest()
  end
  return M.get_latest_selection() ~= nil
end

return M
