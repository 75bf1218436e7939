--- Diffs: what Claude proposes, and the user decides. A diff waits for a safe moment, is pending
--- until it is decided, is then saved or rejected, and closed in the end. It is answered once.

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
---@field options claudecode.DiffOptions
---@field is_new boolean
---@field place? claudecode.Place
---@field layout? claudecode.Layout
---@field terminal? claudecode.DiffTerminal
---@field undo fun()[] What ends with the diff, in the order it began
---@field orphaned? boolean Its client left after it was saved

local diffs = {} ---@type claudecode.Diff[] as they were proposed

---@return claudecode.DiffOptions
local function options()
  return require("claudecode").state.config.diff_opts
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
end

--- Closes what a diff shows: at once if the user has just decided or is elsewhere, else in a safe
--- moment.
---@param diff claudecode.Diff
---@param reason string For ClaudeCodeDiffClosed
---@param by_user? boolean
local function close(diff, reason, by_user)
  if not vim.list_contains(diffs, diff) then
    return
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

---@param diff claudecode.Diff
---@param reason? string
---@param by_user? boolean
local function reject(diff, reason, by_user)
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

---@param diff claudecode.Diff
---@param final string
local function accept(diff, final)
  freeze(diff.layout.buf)
  if diff.state ~= "pending" then
    return log.info("diff", ("The change is %s already"):format(diff.state == "saved" and "accepted" or "rejected"))
  end
  diff.state = "saved"
  require("claudecode.diff.reload").watch(diff.proposal.new_path)
  answer(diff, text("FILE_SAVED", final))
end

--- Ends a diff whoever asks: a pending one is rejected, a saved one closed.
---@param diff claudecode.Diff
---@param reason? string
---@param by_user? boolean
local function settle(diff, reason, by_user)
  if diff.state == "saved" then
    close(diff, reason or "diff tab closed after save", by_user)
  else
    reject(diff, reason, by_user)
  end
end

---@param diff claudecode.Diff
local function open(diff)
  diff.stop_waiting = nil
  local original = require("claudecode.diff.original")
  local found = original.find(diff.proposal.old_path)
  diff.is_new = found.is_new
  local function wanted()
    return vim.list_contains(diffs, diff)
  end
  original.settle(found, diff.options.on_modified, wanted, function(err, go)
    if not wanted() then
      return
    elseif err then
      forget(diff)
      return answer(diff, nil, setup_failed(err.message, err.data))
    elseif not go then
      return reject(diff)
    end
    local ok, failure = pcall(view.open, diff, {
      accept = function()
        accept(diff, diff.layout.text())
      end,
      leave = function(previous)
        vim.schedule(function()
          if previous then
            diff.place:return_to(previous)
          end
          settle(diff, nil, true)
        end)
      end,
    })
    if not ok then
      forget(diff)
      return answer(diff, nil, setup_failed(strict.reason(failure)))
    end
    diff.state = "pending"
    require("claudecode.diff.events").opened(diff)
  end)
end

--- Whether a client may end a diff: its own, or one whose client is gone. nil is the user.
local function may_end(diff, client)
  local owner = diff.proposal.client
  return client == nil or owner == nil or owner == client or diff.orphaned == true
end

local function filter(f)
  return vim.tbl_filter(f, diffs)
end

--- Shows a proposal in a safe moment, and answers once the user decided.
---@param proposal claudecode.Proposal
---@param cb fun(result?: table, err?: claudecode.ToolError) Called once, whenever
---@return fun() drop Nobody waits for the answer any more
function M.propose(proposal, cb)
  for _, other in
    ipairs(filter(function(diff)
      return diff.proposal.tab_name == proposal.tab_name and may_end(diff, proposal.client)
    end))
  do
    settle(other, "replaced by new diff")
  end
  local diff = { ---@type claudecode.Diff
    proposal = proposal,
    state = "waiting",
    answer = cb,
    options = vim.deepcopy(options()),
    is_new = false,
    undo = {},
  }
  diff.stop_waiting = require("claudecode.moment").run(function()
    open(diff)
  end, { name = "openDiff" })
  table.insert(diffs, diff)
  return function()
    if diff.answer then
      diff.answer = nil
      reject(diff)
    end
  end
end

--- Closes the diff of a name, which rejects one that is pending.
---@param tab_name string
---@param client? string Only a diff that it may end
---@return boolean found
function M.close_diff_by_tab_name(tab_name, client)
  local found = filter(function(diff)
    return diff.proposal.tab_name == tab_name and may_end(diff, client)
  end)
  for _, diff in ipairs(found) do
    settle(diff)
  end
  return #found > 0
end

--- Closes all diffs, in whatever state.
---@param reason? string Only logged
---@param client? string Only those that it may end
---@return integer count
function M.close_all_diffs(reason, client)
  local found = filter(function(diff)
    return may_end(diff, client)
  end)
  log.debug("diff", ("Closing %d diffs: %s"):format(#found, reason or "asked to"))
  for _, diff in ipairs(found) do
    settle(diff)
  end
  return #found
end

--- What ClaudeCodeDiffClosed says of it, if that is not what it says of a rejection.
local closed_reasons = { ["server stopping"] = "shutdown" }

--- Rejects all diffs that nobody has decided.
---@param reason? string
---@return integer count
function M.close_pending_diffs(reason)
  local found = filter(function(diff)
    return diff.answer ~= nil
  end)
  log.debug("diff", ("Rejecting %d diffs: %s"):format(#found, reason or "asked to"))
  for _, diff in ipairs(found) do
    reject(diff, closed_reasons[reason], true)
  end
  return #found
end

--- Drops the undecided diffs of a client that left. What it accepted stays until the user closes
--- it: the text may be nowhere else.
---@param client string
---@param reason? string Only logged
---@return integer count
function M.close_diffs_for_client(client, reason)
  local count = 0
  for _, diff in
    ipairs(filter(function(diff)
      return diff.proposal.client == client
    end))
  do
    if diff.state == "saved" then
      diff.orphaned = true
    else
      count = count + 1
      diff.answer = nil
      reject(diff)
    end
  end
  log.debug("diff", ("Dropped %d diffs of %s: %s"):format(count, client, reason or "it left"))
  return count
end

--- Opens a diff for a coroutine, which waits until it is answered.
---@param old_path string
---@param new_path string
---@param contents string
---@param tab_name string
---@param client? string
---@return table result Raises the error
function M.open_diff_blocking(old_path, new_path, contents, tab_name, client)
  local co, is_main = coroutine.running()
  if not co or is_main then
    error({ code = -32000, message = "Internal server error", data = "openDiff must run in coroutine context" }, 0)
  end
  local result, err
  M.propose({
    tab_name = tab_name,
    old_path = require("claudecode.paths").absolute(old_path),
    new_path = require("claudecode.paths").absolute(new_path),
    text = contents,
    client = client,
  }, function(...)
    result, err = ...
    if coroutine.status(co) == "suspended" then
      coroutine.resume(co)
    end
  end)
  if not result and not err then
    coroutine.yield()
  end
  return result or error(err, 0)
end

--- The diff in whose windows the user is.
---@return claudecode.Diff?
local function current()
  local win = api.nvim_get_current_win()
  local buf = api.nvim_win_get_buf(win)
  return vim.iter(diffs):find(function(diff)
    return diff.layout ~= nil and diff.layout.buf == buf
  end) or vim.iter(diffs):find(function(diff)
    return diff.layout ~= nil and vim.list_contains(diff.layout.wins, win)
  end)
end

--- Runs f on the current diff. With a range it concerns hunks, which the layout must know.
---@param range? { [1]: integer, [2]: integer }
---@param part "text_of_hunks"|"drop_hunks"
local function on_current(range, part, whole, hunks)
  local diff = current()
  if not diff then
    log.warn("diff", "No active diff found in current buffer")
  elseif not range then
    whole(diff)
  elseif not diff.layout[part] or api.nvim_get_current_buf() ~= diff.layout.buf then
    log.warn("diff", "A range works in the unified layout; here use do and dp")
  elseif diff.state == "pending" then
    hunks(diff, diff.layout[part](range[1], range[2]))
  else
    log.info("diff", "The change is accepted already")
  end
end

--- Accepts the diff in which the user is; with a range of the unified layout, the original and
--- only the hunks that it touches.
---@param range? { [1]: integer, [2]: integer }
function M.accept_current_diff(range)
  on_current(range, "text_of_hunks", function(diff)
    accept(diff, diff.layout.text())
  end, function(diff, final)
    if final then
      accept(diff, final)
    end
  end)
end

--- Rejects it; with a range of the unified layout, only takes the hunks out that it touches.
---@param range? { [1]: integer, [2]: integer }
function M.deny_current_diff(range)
  on_current(range, "drop_hunks", function(diff)
    settle(diff, nil, true)
  end, function() end)
end

--- Rejects every pending diff and says how many there were.
function M.close_all_by_user()
  local count = M.close_pending_diffs("user command")
  if count > 0 then
    log.info("diff", ("Closed %d pending Claude diff(s)"):format(count))
  else
    log.warn("diff", "No pending Claude diffs to close")
  end
end

--- Reads the buffers of a file again if it changed on disk and they have no changes.
---@param path string
function M.reload_file_buffers_manual(path)
  require("claudecode.diff.reload").reload(require("claudecode.paths").absolute(path))
end

--- For compatibility: the options are read when a diff opens.
function M.setup() end

return M
