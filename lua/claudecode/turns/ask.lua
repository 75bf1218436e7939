--- Questions to the daemon about turns. Each is answered once, with an error if the daemon ends or
--- takes too long.

local clock = require("claudecode.clock")
local daemon = require("claudecode.daemon")

local M = {}

--- What an error means besides: the daemon answers so, or it is not known whether it did what was asked.
---@alias claudecode.TurnError "refused"|"open"

---@alias claudecode.TurnAnswer fun(answer: any, err: string?, kind: claudecode.TurnError?)

--- How long an answer may take. The daemon looks for what commands changed for 2 s at most.
---@type table<string, integer>
M.deadline_ms = { turns = 15000, turn = 15000, turn_file = 15000, put = 60000 }

--- Questions that may wait for an answer at once.
M.max_asked = 64

--- Questions that change something.
local acts = { put = true }

local late, ended = "the server has not answered for %d s", "the server ended"
local gone = ended .. ", and what it kept is gone"

---@class (exact) claudecode.TurnQuestion
---@field acts boolean
---@field callback claudecode.TurnAnswer
---@field cancel fun() Stops the clock

local asked = {} ---@type table<integer, claudecode.TurnQuestion>
local last = 0
local daemons = 0 -- how many have ended

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
  local id, ms, open = last, M.deadline_ms[method], acts[method] == true
  asked[id] = {
    acts = open,
    callback = callback,
    cancel = clock.after(ms, function()
      asked[id] = nil
      callback(nil, late:format(math.ceil(ms / 1000)) .. (open and "" or "; try it again"), open and "open" or nil)
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
    return question.callback(nil, answer.error, "refused")
  end
  question.callback(answer)
end

--- The daemon is gone.
function M.on_gone()
  local questions = asked
  asked, daemons = {}, daemons + 1
  for _, question in vim.spairs(questions) do
    question.cancel()
    question.callback(nil, question.acts and ended or gone, question.acts and "open" or nil)
  end
end

return M
