--- Questions to the daemon about turns. Each is answered once, with an error if the daemon ends or
--- takes too long.

local clock = require("claudecode.clock")
local daemon = require("claudecode.daemon")

local M = {}

---@alias claudecode.TurnAnswer fun(answer: any, err: string?)

--- How long an answer may take. The daemon looks for what commands changed for 2 s at most.
---@type table<string, integer>
M.deadline_ms = { turns = 15000, turn = 15000, turn_file = 15000, put = 60000 }

--- Questions that may wait for an answer at once.
M.max_asked = 64

local late = "the server has not answered for %d s"
local overdue =
  { put = late .. ": it is not known whether it was written; look again", default = late .. "; try it again" }

---@class (exact) claudecode.TurnQuestion
---@field callback claudecode.TurnAnswer
---@field cancel fun() Stops the clock

local asked = {} ---@type table<integer, claudecode.TurnQuestion>
local last = 0
local daemons = 0 -- how many have ended

local gone = "the server ended, and what it kept is gone"

--- Asks, see PROTOCOL.md.
---@param method "turns"|"turn"|"turn_file"|"put"
---@param message table Without the id
---@param callback claudecode.TurnAnswer Maybe called at once
function M.ask(method, message, callback)
  if vim.tbl_count(asked) >= M.max_asked then
    return callback(nil, "too many questions wait for the server; try it again")
  end
  last = last + 1
  if not daemon.notify(method, vim.tbl_extend("error", { id = last }, message)) then
    local restarting = require("claudecode.server").get_status().restarting
    return callback(nil, restarting and "the server is being restarted" or "no server runs: :ClaudeCodeStart starts it")
  end
  local id, ms = last, M.deadline_ms[method]
  asked[id] = {
    callback = callback,
    cancel = clock.after(ms, function()
      asked[id] = nil
      callback(nil, (overdue[method] or overdue.default):format(math.ceil(ms / 1000)))
    end),
  }
end

--- Asks about a turn that is known already: the number is another one's to another daemon.
---@param turn claudecode.Turn
---@param message table Without the turn
---@param callback claudecode.TurnAnswer Maybe called at once
function M.about(turn, method, message, callback)
  if turn.daemon ~= daemons then
    return callback(nil, gone)
  end
  M.ask(method, vim.tbl_extend("error", { turn = turn.turn }, message), callback)
end

--- Asks for a turn.
---@param number integer
---@param shown boolean Whether the user is shown it
---@param callback fun(turn: claudecode.Turn?, err: string?)
function M.turn(number, shown, callback)
  M.ask("turn", { turn = number, shown = shown }, function(turn, err)
    if turn then
      turn.daemon = daemons
    end
    callback(turn, err)
  end)
end

--- The daemon answered.
---@param id integer
---@param answer table
function M.on_answer(id, answer)
  local question = asked[id]
  asked[id] = nil
  if not question then
    return
  end
  question.cancel()
  if answer.error then
    return question.callback(nil, answer.error)
  end
  question.callback(answer)
end

--- The daemon is gone.
function M.on_gone()
  local questions = asked
  asked, daemons = {}, daemons + 1
  for _, question in vim.spairs(questions) do
    question.cancel()
    question.callback(nil, gone)
  end
end

return M
