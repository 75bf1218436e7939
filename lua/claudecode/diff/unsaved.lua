--- What becomes of unsaved changes in the file that a proposal is compared with.

local strict = require("claudecode.strict")
local swap = require("claudecode.swap")

local M = {}

local api = vim.api

--- Runs an Ex command in a buffer; returns why it failed.
local function attempt(buf, command)
  local ok, err = pcall(swap.quietly, "openDiff", function()
    api.nvim_buf_call(buf, function()
      vim.cmd(command)
    end)
  end)
  return not ok and tostring(err) or nil
end

--- What the user may choose for a buffer with unsaved changes, in the order it is offered; act
--- returns why it failed.
---@type { label: string, act: fun(buf: integer): string? }[]
local choices = {
  {
    label = "Save and continue",
    act = function(buf)
      return attempt(buf, "silent write")
    end,
  },
  {
    label = "Discard changes",
    act = function(buf)
      return attempt(buf, "silent edit!")
    end,
  },
  {
    label = "Compare with the unsaved text",
    act = function() end,
  },
  { label = "Cancel" },
}

--- Lets the user choose.
---@param original claudecode.Original
---@param wanted fun(): boolean
---@param cb fun(err: table?, go: boolean)
local function ask(original, wanted, cb)
  local name = vim.fn.fnamemodify(original.path, ":~:.")
  local chosen = false
  local ok, failure = pcall(vim.ui.select, choices, {
    prompt = ("Claude proposes a change of %s, which has unsaved changes:"):format(name),
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if chosen or not wanted() then
      return
    end
    chosen = true
    if not choice or not choice.act or not api.nvim_buf_is_valid(original.buf) then
      return cb(nil, false)
    end
    local err = choice.act(original.buf)
    if err then
      return cb({ message = ("Cannot create diff: %s failed"):format(choice.label), data = err }, false)
    end
    cb(nil, true)
  end)
  if ok or chosen or not wanted() then
    return
  end
  chosen = true
  if tostring(failure):find("[Ii]nterrupt") then
    cb(nil, false)
  else
    cb({ message = "Cannot create diff: the question failed", data = strict.reason(failure) }, false)
  end
end

--- Applies `diff_opts.on_modified` to the file: "error" (also if it is absent), "prompt" or
--- "diff_buffer". Answers once: with an error, or whether to go on; false is a rejection. An
--- answer that comes later than the call finds the file as find() does then.
---@param original claudecode.Original
---@param rule "error"|"prompt"|"diff_buffer"|nil
---@param wanted fun(): boolean Whether an answer is still wanted; without it nothing is saved or discarded
---@param cb fun(err: { message: string, data: string }?, go: boolean)
function M.settle(original, rule, wanted, cb)
  if original.is_new or not original.modified or rule == "diff_buffer" then
    cb(nil, true)
  elseif rule == "prompt" then
    ask(original, wanted, cb)
  else
    cb({
      message = "Cannot create diff: file has unsaved changes",
      data = ("Please save (:w) or discard (:e!) changes to %s before creating diff"):format(original.path),
    }, false)
  end
end

return M
