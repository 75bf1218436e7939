--- The diff in whose windows the user is, and what commands and keys do with it.

local life = require("claudecode.diff.life")
local log = require("claudecode.log")

local M = {}

local api = vim.api

--- The diff in whose windows the user is.
---@return claudecode.Diff?
local function current()
  local win = api.nvim_get_current_win()
  local buf = api.nvim_win_get_buf(win)
  local by_buffer = life.filter(function(diff)
    return diff.layout ~= nil and diff.layout.buf == buf
  end)
  return by_buffer[1]
    or life.filter(function(diff)
      return diff.layout ~= nil and vim.list_contains(diff.layout.wins, win)
    end)[1]
end

--- Runs f on the current diff. With a range it concerns hunks, which the layout must know.
---@param range? { [1]: integer, [2]: integer }
---@param part "text_of_hunks"|"drop_hunks"
local function on_current(range, part, whole, hunks)
  local diff = current()
  if not diff then
    log.warn("diff", "No active diff found in current buffer")
  elseif not range then
    whole(diff)
  elseif not diff.layout[part] or api.nvim_get_current_buf() ~= diff.layout.buf then
    log.warn("diff", "A range works in the unified layout; here use do and dp")
  elseif diff.state == "pending" then
    hunks(diff, diff.layout[part](range[1], range[2]))
  else
    log.info("diff", "The change is accepted already")
  end
end

--- Accepts the diff in which the user is; with a range of the unified layout, the original and
--- only the hunks that it touches.
---@param range? { [1]: integer, [2]: integer }
function M.accept(range)
  on_current(range, "text_of_hunks", life.accept, function(diff, final)
    if final then
      life.accept(diff, final)
    end
  end)
end

--- Rejects it; with a range of the unified layout, only takes the hunks out that it touches.
---@param range? { [1]: integer, [2]: integer }
function M.deny(range)
  on_current(range, "drop_hunks", function(diff)
    life.settle(diff, nil, true)
  end, function() end)
end

return M
