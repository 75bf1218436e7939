--- What the user commands about turns do.

local log = require("claudecode.log")

local M = {}

--- Why no windows can be opened here.
---@return string?
local function obstacle()
  if #vim.api.nvim_list_uis() == 0 then
    return "There is no user interface to show it in"
  elseif vim.fn.getcmdwintype() ~= "" then
    return "Leave the command-line window first"
  end
end

---@param turn claudecode.Turn?
---@param err string?
local function show(turn, err)
  local reason = err or obstacle()
  if not turn or reason then
    return log.warn("review", reason)
  end
  require("claudecode.turns.latest").look(turn.turn, #turn.files)
  local ok, failure = pcall(require("claudecode.turns.review").open, turn)
  if not ok then
    log.error("review", require("claudecode.strict").reason(failure))
  end
end

--- Reviews a turn.
---@param number integer
function M.open_turn(number)
  require("claudecode.turns.ask").turn(number, true, function(turn, err)
    if turn and #turn.files == 0 then
      turn, err = nil, "This prompt changed no file"
    end
    show(turn, err)
  end)
end

---@param given vim.api.keyset.create_user_command.command_args
function M.review(given)
  local n = given.args == "" and 1 or tonumber(given.args)
  if not n or n < 1 or n ~= math.floor(n) then
    return log.warn(
      "review",
      "The argument is a number: 1 for the last prompt that changed files, 2 for the one before"
    )
  end
  local reason = obstacle()
  if reason then
    return log.warn("review", reason)
  end
  require("claudecode.turns.find").nth(n, show)
end

function M.turns()
  local reason = obstacle()
  if reason then
    return log.warn("review", reason)
  end
  require("claudecode.turns.overview").open()
end

---@param given vim.api.keyset.create_user_command.command_args
function M.revert(given)
  if given.bang then
    return require("claudecode.turns.revert_turn").ask()
  end
  require("claudecode.turns.revert").here(given.range > 0 and { first = given.line1, last = given.line2 } or nil)
end

return M
