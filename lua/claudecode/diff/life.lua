--- The life of a diff: it waits for a safe moment, is pending until it is decided, is then saved or
--- rejected, and closed in the end. It is answered once.

local log = require("claudecode.log")
local strict = require("claudecode.strict")
local view = require("claudecode.diff.view")

local M = {}

local api = vim.api

---@class claudecode.Diff
---@field proposal claudecode.Proposal
---@field state "waiting"|"pending"|"saved"|"rejected"
---@field answer? fun(result?: table, err?: claudecode.ToolError) Until it was called
---@field stop_waiting? fun()
---@field draft? integer|claudecode.Unified A buffer that was filled for it, until it is shown
---@field finish? fun() Gives the answer of an accepted one, whose text is still being read
---@field options claudecode.DiffOptions
---@field is_new boolean
---@field place? claudecode.Place
---@field layout? claudecode.Layout
---@field terminal? claudecode.DiffTerminal
---@field exit? claudecode.Exit
---@field undo fun()[] What ends with the diff, in the order it began
---@field orphaned? boolean Its client left after it was saved

local diffs = {} ---@type claudecode.Diff[] as they were proposed

--- The diffs that are not closed and for which f holds.
---@param f fun(diff: claudecode.Diff): boolean
---@return claudecode.Diff[]
function M.filter(f)
  return vim.tbl_filter(f, diffs)
end

local function text(...)
  return {
    content = vim.tbl_map(function(item)
      return { type = "text", text = item }
    end, { ... }),
  }
end

---@param diff claudecode.Diff
local function answer(diff, result, err)
  local cb = diff.answer
  diff.answer = nil
  if cb then
    cb(result, err)
  end
end

local function setup_failed(message, data)
  local detail = data and ("%s (%s)"):format(message, data) or message
  return {
    code = -32000,
    message = "Diff setup failed",
    data = "Failed to setup diff operation: " .. detail,
  }
end

local function forget(diff)
  diffs = vim.tbl_filter(function(other)
    return other ~= diff
  end, diffs)
  if diff.stop_waiting then
    diff.stop_waiting()
    diff.stop_waiting = nil
  end
  if diff.draft then
    require("claudecode.diff.draft").drop(type(diff.draft) == "table" and diff.draft.buf or diff.draft)
    diff.draft = nil
  end
end

--- Closes what a diff shows: at once if the user has just decided or is elsewhere, else in a safe
--- moment.
---@param diff claudecode.Diff
---@param reason string For ClaudeCodeDiffClosed
---@param by_user? boolean
local function close(diff, reason, by_user)
  if not vim.list_contains(diffs, diff) then
    return
  elseif diff.finish then
    diff.finish()
  end
  forget(diff)
  if not diff.layout then
    return
  end
  local function run()
    view.close(diff, by_user)
    require("claudecode.diff.events").closed(diff, reason)
  end
  local busy = view.is_inside(diff) and not (by_user and api.nvim_get_mode().mode == "n")
  if vim.v.exiting == vim.NIL and (busy or vim.fn.getcmdwintype() ~= "") then
    require("claudecode.moment").run(run, { name = "the end of a diff" })
  else
    run()
  end
end

--- Rejects a diff, if that is still to be said, and closes it.
---@param diff claudecode.Diff
---@param reason? string
---@param by_user? boolean
function M.reject(diff, reason, by_user)
  if diff.finish then
    return diff.finish()
  end
  local opened = diff.layout ~= nil
  diff.state = "rejected"
  answer(diff, text("DIFF_REJECTED", diff.proposal.tab_name))
  if opened then
    diff.place.close_anchor = diff.is_new and diff.options.on_new_file_reject == "close_window"
    local kept = diff.is_new and diff.options.on_new_file_reject == "keep_empty"
    reason = reason or (kept and "diff rejected (keep_empty)" or "diff tab closed after reject")
  end
  close(diff, reason, by_user)
end

--- Makes a proposed buffer one that is written, and is not to be changed any more.
local function freeze(buf)
  require("claudecode.diff.text").silently(function()
    vim.bo[buf].modified, vim.bo[buf].modifiable = false, false
  end)
end

--- Accepts a diff that is pending. Its windows stay.
---@param diff claudecode.Diff
---@param final? string By default what its layout has
function M.accept(diff, final)
  freeze(diff.layout.buf)
  if diff.state ~= "pending" then
    return log.info("diff", ("The change is %s already"):format(diff.state == "saved" and "accepted" or "rejected"))
  end
  diff.state = "saved"
  require("claudecode.diff.reload").watch(diff.proposal.new_path)
  local function said(read)
    diff.finish = nil
    if type(read) == "table" and not diff.proposal.takes_parts then
      read = table.concat(read)
    end
    answer(diff, text("FILE_SAVED", read))
  end
  if final then
    return said(final)
  end
  local finish = require("claudecode.diff.final").read(diff.layout, said)
  diff.finish = diff.answer and finish
end

--- Ends a diff whoever asks: a pending one is rejected, a saved one closed.
---@param diff claudecode.Diff
---@param reason? string
---@param by_user? boolean
function M.settle(diff, reason, by_user)
  if diff.state == "saved" then
    close(diff, reason or "diff tab closed after save", by_user)
  else
    M.reject(diff, reason, by_user)
  end
end

---@param diff claudecode.Diff
local function open(diff)
  diff.stop_waiting = nil
  local found = require("claudecode.diff.original").find(diff.proposal.old_path)
  diff.is_new = found.is_new
  local function wanted()
    return vim.list_contains(diffs, diff)
  end
  require("claudecode.diff.unsaved").settle(found, diff.options.on_modified, wanted, function(err, go)
    if not wanted() then
      return
    elseif err then
      forget(diff)
      return answer(diff, nil, setup_failed(err.message, err.data))
    elseif not go then
      return M.reject(diff)
    end
    local ok, failure = pcall(view.open, diff, {
      accept = function()
        M.accept(diff)
      end,
      text = function()
        return diff.layout.text()
      end,
      refill = function()
        if diff.state == "pending" then
          diff.layout.refill()
        end
        return diff.state == "pending"
      end,
      leave = function()
        vim.schedule(function()
          M.settle(diff, nil, true)
        end)
      end,
    })
    if not ok then
      forget(diff)
      return answer(diff, nil, setup_failed(strict.reason(failure)))
    end
    diff.state, diff.draft = "pending", nil
    require("claudecode.diff.events").opened(diff)
  end)
end

--- Ends a diff without a word: nobody waits for its answer.
---@param diff claudecode.Diff
function M.drop(diff)
  diff.answer = nil
  M.settle(diff)
end

--- Begins the life of a diff.
---@param proposal claudecode.Proposal
---@param cb fun(result?: table, err?: claudecode.ToolError) Called once, whenever
---@return fun() drop Nobody waits for the answer any more
function M.begin(proposal, cb)
  local diff = { ---@type claudecode.Diff
    proposal = proposal,
    state = "waiting",
    answer = cb,
    options = vim.tbl_extend("force", require("claudecode").state.config.diff_opts, proposal.options or {}),
    is_new = false,
    undo = {},
  }
  local function wait(draft)
    diff.draft = draft
    diff.stop_waiting = require("claudecode.moment").run(function()
      open(diff)
    end, { name = proposal.name or "openDiff" })
  end
  require(diff.options.layout == "unified" and "claudecode.diff.merged" or "claudecode.diff.draft").prepare(diff, wait)
  table.insert(diffs, diff)
  return function()
    if diff.answer then
      M.drop(diff)
    end
  end
end

return M
