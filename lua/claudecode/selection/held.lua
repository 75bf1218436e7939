--- The selection that was released and that Claude still has.

local payload = require("claudecode.selection.payload")

local M = {}

local api = vim.api

---@class claudecode.HeldSelection
---@field buf integer
---@field cursor { [1]: integer, [2]: integer } When it was released
---@field report claudecode.Selection

local held ---@type claudecode.HeldSelection?
local watched = {} ---@type table<integer, true> Buffers whose changes are reported to us

--- Called with the buffer when the text of the selection is not what it was.
M.on_changed = function(_) end ---@type fun(buf: integer)

---@return claudecode.HeldSelection?
function M.get()
  return held
end

---@param buf integer
---@return boolean
function M.is_in(buf)
  return held ~= nil and held.buf == buf
end

--- Whether the cursor is elsewhere than where the selection was released.
---@return boolean
function M.is_left()
  return held ~= nil and not vim.deep_equal(payload.cursor_of(held.buf), held.cursor)
end

--- Whether its text is not what stands in its place.
---@return boolean
local function is_changed()
  local told = held and held.report
  if not told or told.text == "" then
    return true -- it was never read
  end
  return payload.text(held.buf, told.selection.start, told.selection["end"]) ~= told.text
end

--- Hears of every change of a buffer while a selection of it is held: TextChanged tells only of
--- the current one. What became of the selection is looked at once the change is complete.
local function watch(buf)
  if watched[buf] then
    return
  end
  local scheduled = false
  local function look()
    scheduled = false
    if M.is_in(buf) and api.nvim_buf_is_valid(buf) then
      if is_changed() then
        return M.on_changed(buf)
      end
      watch(buf)
    end
  end
  local function look_soon()
    if not scheduled then
      scheduled = true
      vim.schedule(look)
    end
  end
  watched[buf] = api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first)
      if not held or held.buf ~= buf then
        watched[buf] = nil
        return true
      elseif first <= held.report.selection["end"].line then
        look_soon()
      end
    end,
    -- A text that is read again is let go of first, too.
    on_detach = function()
      watched[buf] = nil
      look_soon()
    end,
  }) or nil
end

--- Holds what was just released.
---@param buf integer
---@param report claudecode.Selection
function M.hold(buf, report)
  held = { buf = buf, cursor = payload.cursor_of(buf), report = report }
  watch(buf)
end

function M.drop()
  held = nil
end

--- Drops it if it is not what it was, after a time in which nobody looked.
function M.verify()
  if held and (not api.nvim_buf_is_loaded(held.buf) or M.is_left() or is_changed()) then
    held = nil
  end
end

return M
