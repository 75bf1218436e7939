--- :ClaudeCodeTreeAdd, and :ClaudeCodeSend in a file explorer.

local explorers = require("claudecode.explorers")
local log = require("claudecode.log")
local visual = require("claudecode.visual")

local M = {}

--- Mentions files, each by itself.
---@param paths string[]
---@param context string
---@return string? err Of the first that was not taken
local function mention_all(paths, context)
  local failed, reason = 0, nil
  for _, path in ipairs(paths) do
    local ok, err = require("claudecode.mention").send(path, nil, nil, context)
    if not ok then
      failed, reason = failed + 1, reason or err
    end
  end
  if #paths > 1 and reason then
    return ("%d of %d files not sent: %s"):format(failed, #paths, reason)
  end
  return reason
end

--- Mentions what is selected in the explorer of the current window: on the lines of the Visual
--- area or of a range, else what the explorer has marked or what is under the cursor.
---@param command { range?: integer, line1?: integer, line2?: integer }
---@param contexts { normal: string, visual: string } They also begin the messages
local function add(command, contexts)
  local context = contexts.normal
  local first, last = visual.lines()
  if first then
    context = contexts.visual
    visual.leave()
  elseif (command.range or 0) > 0 then
    first, last = command.line1, command.line2
  end
  local paths, err = explorers.files(first, last)
  if paths and #paths == 0 then
    return log.warn("command", context .. ": No files selected")
  end
  -- All are known before the first is sent: that may open a terminal.
  err = paths and mention_all(paths, context) or err
  if err then
    log.error("command", context .. ": " .. err)
  end
end

--- :ClaudeCodeTreeAdd.
function M.tree_add(command)
  if not require("claudecode").state.port then
    return log.error("command", "ClaudeCodeTreeAdd: Claude Code integration is not running.")
  end
  add(command, { normal = "ClaudeCodeTreeAdd", visual = "ClaudeCodeTreeAdd_visual" })
end

--- :ClaudeCodeSend where the current buffer is an explorer's and the server runs.
function M.send(command)
  add(command, { normal = "ClaudeCodeSend->TreeAdd", visual = "ClaudeCodeSend_visual->TreeAdd" })
end

return M
