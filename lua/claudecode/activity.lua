--- What Claude is doing, in a word for the status line. Events keep it ready, so that asking for
--- it costs nothing.

local M = {}

--- The word: "" if no server runs.
M.text = ""

--- Whether somebody shows it.
M.shown = false

local calls = {} ---@type table<integer, string> the tool of each call in flight, by token
local asking = false -- whether the user is asked for a permission
local reviewed = {} ---@type table<table, true> the changes of tools that the user is to decide
local scheduled = false

--- How many calls are in flight, and how many of them are changes that the user is to decide.
---@return integer calls
---@return integer reviews
function M.count()
  local total, reviews = 0, vim.tbl_count(reviewed)
  for _, tool in pairs(calls) do
    total = total + 1
    reviews = reviews + (tool == "openDiff" and 1 or 0)
  end
  return total, reviews
end

---@return string
local function describe()
  local status = require("claudecode.server").get_status()
  if not status.running then
    return ""
  end
  -- Calls come from clients of HTTP, too, which are not counted.
  local total, reviews = M.count()
  if asking then
    return "waiting for your permission"
  elseif reviews > 0 then
    return reviews == 1 and "waiting for your review" or ("waiting for your review (%d)"):format(reviews)
  elseif total > 0 then
    return total == 1 and "1 call" or ("%d calls"):format(total)
  end
  local latest = package.loaded["claudecode.turns.latest"]
  local files = latest and latest.unseen() or 0
  if files > 0 then
    return ("%s changed, :ClaudeCodeReview"):format(files == 1 and "1 file" or files .. " files")
  end
  return status.client_count == 0 and "disconnected" or "connected"
end

M.text = describe()

--- Something happened that may change the word. What comes and goes in one turn of the main loop,
--- as most calls do, changes nothing.
function M.changed()
  if scheduled then
    return
  end
  scheduled = true
  vim.schedule(function()
    scheduled = false
    local text = describe()
    if text == M.text then
      return
    end
    M.text = text
    if M.shown then
      vim.cmd("redrawstatus!")
    end
  end)
end

--- Whether the user is asked for a permission, or will be in a safe moment.
---@param yes boolean
function M.asks(yes)
  asking = yes
  M.changed()
end

--- A tool shows the user changes to decide on, until what this returns is called.
---@return fun() decided
function M.reviews()
  local change = {}
  reviewed[change] = true
  M.changed()
  return function()
    reviewed[change] = nil
    M.changed()
  end
end

---@param token integer
---@param tool string
function M.began(token, tool)
  calls[token] = tool
  M.changed()
end

--- A call was answered, or nobody waits for it any more.
---@param token integer
function M.ended(token)
  if calls[token] then
    calls[token] = nil
    M.changed()
  end
end

return M
