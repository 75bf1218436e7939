--- What the daemon tells of the newest turn, and whether the user has looked at it.

local M = {}

local newest ---@type { turn: integer, files: integer }?
local seen ---@type { turn: integer, files: integer }?
local saving ---@type integer? The autocommand that tells what the user saves

local function changed()
  require("claudecode.activity").changed()
end

local function signs()
  return require("claudecode").state.config.review.signs and require("claudecode.turns.signs") or nil
end

--- The daemon tells. `turn` is the newest one that changed anything, 0 if there is none any more.
---@param news { turn: integer, files: integer, revisions: { turn: integer, revision: integer }[] }
function M.on_changed(news)
  newest = news.turn > 0 and { turn = news.turn, files = news.files } or nil
  changed()
  if signs() then
    signs().update()
  end
  if require("claudecode").state.config.selection_filter then
    require("claudecode.turns.private").update(news.revisions)
  end
end

--- How many files changed that the user has not looked at.
---@return integer
function M.unseen()
  return newest and not vim.deep_equal(newest, seen) and newest.files or 0
end

--- The number of the newest turn that changed anything.
---@return integer?
function M.turn()
  return newest and newest.turn
end

--- The user looks at a turn.
---@param turn integer
---@param files integer How many of its files there are to see
function M.look(turn, files)
  if not newest or turn >= newest.turn then
    seen = { turn = turn, files = files }
    changed()
    if signs() then
      signs().clear()
    end
  end
end

--- A file was written from this editor, whatever the buffer's is.
local function on_saved(event)
  if require("claudecode.server").get_status().client_count > 0 then
    require("claudecode.daemon").notify("turn_saved", { path = event.match })
  end
end

--- A client begins a turn: what the user saves from now on is not that client's.
function M.on_prompt()
  if signs() then
    signs().clear()
  end
  saving = saving
    or vim.api.nvim_create_autocmd({ "BufWritePost", "FileWritePost", "FileAppendPost" }, {
      group = vim.api.nvim_create_augroup("ClaudeCodeTurns", {}),
      desc = "Tells Claude's changes from yours",
      callback = on_saved,
    })
end

--- The daemon is gone, and with it what it kept.
function M.on_gone()
  newest, seen = nil, nil
  if saving then
    vim.api.nvim_del_autocmd(saving)
    saving = nil
  end
  if package.loaded["claudecode.turns.signs"] then
    require("claudecode.turns.signs").clear()
  end
  if package.loaded["claudecode.turns.private"] then
    require("claudecode.turns.private").on_gone()
  end
  changed()
end

return M
