--- How the user decides in a diff's windows: by writing the proposed buffer, or by closing it.

local copy = require("claudecode.diff.copy")
local log = require("claudecode.log")
local text = require("claudecode.diff.text")
local typed = require("claudecode.diff.typed")

local M = {}

local api, fn = vim.api, vim.fn

local group = api.nvim_create_augroup("ClaudeCodeMCPDiff", { clear = false })

---@class claudecode.Decisions
---@field accept fun()
---@field text fun(): string What would be accepted
---@field refill fun(): boolean Puts the text as it was proposed into the buffer, if it is not decided
---@field leave fun() The last window of the proposal was closed, or its buffer

--- Watches a proposed buffer.
---@param buf integer
---@param win integer The window that was made for it
---@param decisions claudecode.Decisions
---@return fun() stop
function M.watch(buf, win, decisions)
  local autocmds = {}
  local hinted = false
  local function on(event, options, callback)
    options = vim.tbl_extend("error", { group = group, callback = callback }, options)
    table.insert(autocmds, api.nvim_create_autocmd(event, options))
  end

  local name = api.nvim_buf_get_name(buf)
  on("BufWriteCmd", { buffer = buf, desc = "Accepts Claude's change" }, function(event)
    if copy.is_copy(buf, name, event) then
      copy.write(buf, name, event.match, decisions.text())
    elseif typed.in_window_of(buf) then
      decisions.accept()
    elseif not hinted then
      hinted = true
      log.warn("diff", "Not accepted by that write: use :w in the proposal's window, or :ClaudeCodeDiffAccept in it")
    end
  end)

  local read_again = false -- by `:edit!`, after its text was unloaded
  on({ "BufUnload", "BufDelete", "BufWipeout" }, { buffer = buf, desc = "Rejects Claude's change" }, function()
    read_again = false
    vim.schedule(function()
      if not read_again then
        decisions.leave()
      end
    end)
  end)

  on("BufReadCmd", { buffer = buf, nested = true, desc = "Puts Claude's change back" }, function()
    read_again = decisions.refill()
    -- What highlights the text went with it.
    vim.bo[buf].filetype = vim.bo[buf].filetype
  end)

  -- Neovim takes what it has read for unchanged.
  on("BufWinEnter", { buffer = buf, desc = "Keeps Claude's change to be written" }, function()
    if read_again then
      text.silently(function()
        vim.bo[buf].modified = true
      end)
    end
  end)

  on("WinClosed", { desc = "Rejects Claude's change" }, function(event)
    local closed = tonumber(event.match)
    if closed ~= win and not (api.nvim_win_is_valid(closed) and api.nvim_win_get_buf(closed) == buf) then
      return
    end
    -- Asked after the window is gone: it may have been one of several.
    vim.schedule(function()
      if api.nvim_buf_is_valid(buf) and #fn.win_findbuf(buf) == 0 then
        decisions.leave()
      end
    end)
  end)

  -- Nothing was told of a window that was closed without autocommands.
  local shown_in, missed = { win }, false
  on("SafeState", { desc = "Rejects Claude's change" }, function()
    local wins = fn.win_findbuf(buf)
    if #wins > 0 then
      shown_in = wins
    elseif not missed and not vim.iter(shown_in):any(api.nvim_win_is_valid) then
      missed = true
      vim.schedule(decisions.leave)
    end
  end)

  local stop_watching = typed.watch()
  local stopped = false
  return function()
    if stopped then
      return
    end
    stopped = true
    for _, id in ipairs(autocmds) do
      pcall(api.nvim_del_autocmd, id)
    end
    stop_watching()
  end
end

return M
