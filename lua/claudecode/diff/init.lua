--- Diffs: what Claude proposes, and the user decides.

local here = require("claudecode.diff.here")
local life = require("claudecode.diff.life")
local log = require("claudecode.log")

local M = {}

--- Whether a client may end a diff: its own, or one whose client is gone. nil is the user.
local function may_end(diff, client)
  local owner = diff.proposal.client
  return client == nil or owner == nil or owner == client or diff.orphaned == true
end

--- Shows a proposal in a safe moment, and answers once the user decided.
---@param proposal claudecode.Proposal
---@param cb fun(result?: table, err?: claudecode.ToolError) Called once, whenever
---@return fun() drop Nobody waits for the answer any more
function M.propose(proposal, cb)
  for _, other in
    ipairs(life.filter(function(diff)
      return diff.proposal.tab_name == proposal.tab_name and may_end(diff, proposal.client)
    end))
  do
    life.settle(other, "replaced by new diff")
  end
  return life.begin(proposal, cb)
end

--- Closes the diff of a name, which rejects one that is pending.
---@param tab_name string
---@param client? string Only a diff that it may end
---@return boolean found
function M.close_diff_by_tab_name(tab_name, client)
  local found = life.filter(function(diff)
    return diff.proposal.tab_name == tab_name and may_end(diff, client)
  end)
  for _, diff in ipairs(found) do
    life.settle(diff)
  end
  return #found > 0
end

--- Closes all diffs, in whatever state.
---@param reason? string Only logged
---@param client? string Only those that it may end
---@return integer count
function M.close_all_diffs(reason, client)
  local found = life.filter(function(diff)
    return may_end(diff, client)
  end)
  log.debug("diff", ("Closing %d diffs: %s"):format(#found, reason or "asked to"))
  for _, diff in ipairs(found) do
    life.settle(diff)
  end
  return #found
end

--- What ClaudeCodeDiffClosed says of it, if that is not what it says of a rejection.
local closed_reasons = { ["server stopping"] = "shutdown" }

--- Rejects all diffs that nobody has decided.
---@param reason? string
---@return integer count
function M.close_pending_diffs(reason)
  local found = life.filter(function(diff)
    return diff.answer ~= nil
  end)
  log.debug("diff", ("Rejecting %d diffs: %s"):format(#found, reason or "asked to"))
  for _, diff in ipairs(found) do
    life.reject(diff, closed_reasons[reason], true)
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
    ipairs(life.filter(function(diff)
      return diff.proposal.client == client
    end))
  do
    if diff.state == "saved" then
      diff.orphaned = true
    else
      count = count + 1
      life.drop(diff)
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

--- Accepts the diff in which the user is; with a range of the unified layout, the original and
--- only the hunks that it touches.
M.accept_current_diff = here.accept

--- Rejects it; with a range of the unified layout, only takes the hunks out that it touches.
M.deny_current_diff = here.deny

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
