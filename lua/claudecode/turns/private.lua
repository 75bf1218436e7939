--- The user's `selection_filter` for files that Claude changed: of those whose text is not to leave
--- the editor none is kept.

local ask = require("claudecode.turns.ask")
local clock = require("claudecode.clock")
local daemon = require("claudecode.daemon")
local filter = require("claudecode.selection.filter")
local log = require("claudecode.log")
local names = require("claudecode.diff.names")
local slices = require("mcp-tools.slices")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

--- How long after a change the files of its turn are looked up: changes come in bursts. Those that come
--- meanwhile do not put it off.
M.every_ms = 500

--- How long after a question that failed it is asked again.
M.retry_ms = 5000

---@class (exact) claudecode.JudgedTurn
---@field revision integer
---@field allowed table<string, boolean> By path, whether its text may be kept

local told = {} ---@type table<integer, integer> By turn, its revision
local judged = {} ---@type table<integer, claudecode.JudgedTurn>
local busy = false
local due ---@type integer? When the next look is
local daemons = 0 -- how many have ended

--- Calls f with a buffer that has the file's name, which nobody is told of and which has no text.
---@param path string
---@param f fun(buf: integer): boolean
local function with_name(path, f)
  local known = vim.iter(api.nvim_list_bufs()):find(function(buf)
    return api.nvim_buf_get_name(buf) == path
  end)
  if known then
    return f(known)
  end
  local buf = names.new_buffer(false)
  local ok, result = pcall(function()
    text.silently(function()
      vim.bo[buf].swapfile = false
      api.nvim_buf_set_name(buf, path)
    end)
    return f(buf)
  end)
  text.silently(function()
    api.nvim_buf_delete(buf, { force = true })
  end)
  return ok and result
end

local function is_allowed(buf)
  return filter.of(buf) == "full"
end

---@param file claudecode.TurnFile
local function has_text(file)
  return file.kept or file.before.hash ~= nil or file.after.hash ~= nil
end

local function forget(secret)
  if #secret > 0 then
    daemon.notify("turn_forget", { paths = secret })
  end
end

--- Asks the filter about the files of a turn, in pieces.
---@param files claudecode.TurnFile[]
---@param allowed table<string, boolean>
local function judge(files, allowed)
  local secret = {}
  for _, file in ipairs(files) do
    if has_text(file) then
      if allowed[file.path] == nil then
        allowed[file.path] = with_name(file.path, is_allowed)
      end
      table.insert(secret, not allowed[file.path] and file.path or nil)
    end
    if slices.pause() then
      forget(secret)
      secret = {}
    end
  end
  forget(secret)
end

--- The turns that changed since they were judged, newest first.
---@return integer[]
local function changed()
  local numbers = {}
  for number, revision in pairs(told) do
    if not judged[number] or judged[number].revision ~= revision then
      table.insert(numbers, number)
    end
  end
  table.sort(numbers, function(a, b)
    return a > b
  end)
  return numbers
end

local schedule

--- Judges turns, one after the other.
---@param numbers integer[]
---@param failed boolean Whether one of those before could not be had
local function go_on(numbers, failed)
  local number = table.remove(numbers, 1)
  if not number then
    busy = false
    if #changed() > 0 then
      schedule(failed and M.retry_ms or M.every_ms)
    end
    return
  end
  local epoch, revision = daemons, told[number]
  local function is_wanted()
    return epoch == daemons
  end
  ask.turn(number, false, function(turn)
    if not is_wanted() then
      return
    elseif not turn then
      return go_on(numbers, true)
    end
    local allowed = judged[number] and judged[number].allowed or {}
    local function work()
      judge(turn.files, allowed)
      judged[number] = told[number] and { revision = revision, allowed = allowed }
      vim.schedule(function()
        if is_wanted() then
          go_on(numbers, failed)
        end
      end)
    end
    slices.run(work, is_wanted, function(err)
      log.error("review", "selection_filter could not be asked: " .. err)
      go_on(numbers, true)
    end)
  end)
end

local timer = clock.one_shot(function()
  due, busy = nil, true
  go_on(changed(), false)
end)

--- Has a look happen within so long.
---@param ms integer
function schedule(ms)
  local at = clock.now() + ms
  if not busy and not (due and due <= at) then
    due = at
    timer.start(ms)
  end
end

--- Turns changed files.
---@param revisions { turn: integer, revision: integer }[] Of all turns that changed anything
function M.update(revisions)
  told = {}
  for _, it in ipairs(revisions) do
    told[it.turn] = it.revision
  end
  for number in pairs(judged) do
    judged[number] = told[number] and judged[number]
  end
  if #changed() > 0 then
    schedule(M.every_ms)
  end
end

--- The daemon is gone, and with it what it kept.
function M.on_gone()
  timer.stop()
  told, judged, busy, due, daemons = {}, {}, false, nil, daemons + 1
end

return M
