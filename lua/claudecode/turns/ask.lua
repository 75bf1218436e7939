--- Questions to the daemon about turns. Each is answered once, with an error if the daemon ends.

local daemon = require("claudecode.daemon")

local M = {}

---@alias claudecode.TurnAnswer fun(answer: any, err: string?)

local asked = {} ---@type table<integer, claudecode.TurnAnswer>
local last = 0
local daemons = 0 -- how many have ended

local gone = "the server ended, and what it kept is gone"

--- Asks, see PROTOCOL.md.
---@param method "turns"|"turn"|"turn_file"|"put"
---@param message table Without the id
---@param callback claudecode.TurnAnswer Maybe called at once
function M.ask(method, message, callback)
  last = last + 1
  asked[last] = callback
  if not daemon.notify(method, vim.tbl_extend("error", { id = last }, message)) then
    asked[last] = nil
    local restarting = require("claudecode.server").get_status().restarting
    callback(nil, restarting and "the server is being restarted" or "no server runs: :ClaudeCodeStart starts it")
  end
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
---@param callback fun(turn: claudecode.Turn?, err: string?)
function M.turn(number, callback)
  M.ask("turn", { turn = number }, function(turn, err)
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
  local callback = asked[id]
  asked[id] = nil
  if not callback then
    return
  elseif answer.error then
    return callback(nil, answer.error)
  end
  callback(answer)
end

--- The daemon is gone.
function M.on_gone()
  local callbacks = asked
  asked, daemons = {}, daemons + 1
  for _, callback in vim.spairs(callbacks) do
    callback(nil, gone)
  end
end

return M
