--- Asks the user whether a call may run, one question at a time, in a safe moment. The daemon holds
--- the call meanwhile, so nothing waits here.

local activity = require("claudecode.activity")
local store = require("mcp-tools.permissions.store")
local words = require("claudecode.words")

local M = {}

---What the daemon asks, see PROTOCOL.md.
---@class (exact) mcp_tools.Question
---@field token integer
---@field tool string
---@field client string
---@field name string What the client calls itself, may be empty
---@field arguments string The beginning of their JSON text
---@field size integer Bytes of all of it
---@field paths string[]
---@field rule string

--- What can be answered, in the order in which it is offered.
M.choices = {
  { answer = "once", text = "Allow once" },
  { answer = "session", text = "Allow until this client leaves" },
  { answer = "always", text = "Always allow" },
  { answer = "deny", text = "Deny" },
}

--- What a client can be allowed that does not say what it is called: nothing for good, which would hold
--- for whoever says nothing either.
---@param name string
---@return mcp_tools.Choice[]
local function choices_for(name)
  return vim.tbl_filter(function(choice)
    return choice.answer ~= "always" or store.is_name(name)
  end, M.choices)
end

local open ---@type { token: integer, withdraw: fun() }?

---@param question mcp_tools.Question
---@return { tool: string, client: string, rule: string }
local function subject(question)
  return { tool = question.tool, client = question.name, rule = question.rule }
end

---@param token integer
---@param answer "once"|"session"|"always"|"deny"|"unattended"
local function tell(token, answer)
  require("claudecode.daemon").notify("permission", { token = token, answer = answer })
end

--- What cannot be kept for good is kept as long as the client is there.
---@param question mcp_tools.Question
---@param answer? string nil if the user gave none
local function take(question, answer)
  if answer == "always" then
    local err = store.add(subject(question))
    if err then
      require("claudecode.log").warn("permissions", "not kept for good: " .. err)
      answer = "session"
    end
  end
  tell(question.token, answer or "deny")
end

--- Who asks, for the user.
---@param question mcp_tools.Question
---@return string
function M.who(question)
  if not store.is_name(question.name) then
    return question.client
  end
  return ("%s (%s)"):format(words.plain(question.name), question.client)
end

--- The daemon asks.
---@param question mcp_tools.Question
function M.on_ask(question)
  if store.allows(subject(question)) then
    return tell(question.token, "always")
  elseif #vim.api.nvim_list_uis() == 0 then
    return tell(question.token, "unattended")
  end
  local over, close = false, function() end
  local function answer(choice)
    if over then
      return
    end
    over, open = true, nil
    activity.asks(false)
    take(question, choice and choice.answer)
  end
  local ok, stop_waiting = pcall(require("claudecode.moment").run, function()
    local choices = choices_for(question.name)
    local shown, result = pcall(require("mcp-tools.permissions.choose").show, question, choices, answer)
    if shown then
      close = result
    else
      require("claudecode.log").warn("permissions", require("claudecode.strict").reason(result))
      answer()
    end
  end, { name = "your permission for " .. question.tool })
  if not ok then
    return tell(question.token, "deny")
  end
  open = {
    token = question.token,
    withdraw = function()
      over = true
      stop_waiting()
      close()
    end,
  }
  activity.asks(true)
end

--- Nobody waits for the answer any more.
---@param token integer
function M.on_withdrawn(token)
  if open and open.token == token then
    local withdraw = open.withdraw
    open = nil
    activity.asks(false)
    withdraw()
  end
end

--- The daemon is gone, and with it who asked.
function M.withdraw_all()
  if open then
    M.on_withdrawn(open.token)
  end
end

return M
