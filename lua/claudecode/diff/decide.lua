--- How the user decides in a diff's windows: by writing the proposed buffer, or by closing it.

local log = require("claudecode.log")

local M = {}

local api, fn = vim.api, vim.fn

local group = api.nvim_create_augroup("ClaudeCodeMCPDiff", { clear = false })
local namespace = api.nvim_create_namespace("claudecode_diff_keys")

local open = 0 -- how many diffs are watched
local typed_in ---@type integer? The window in which a key was typed in this turn of the main loop

--- The window that the user is in. From the command-line window a command goes to the one before.
local function current_window()
  return fn.getcmdwintype() ~= "" and fn.win_getid(fn.winnr("#")) or api.nvim_get_current_win()
end

local safe_state ---@type integer? The autocommand that ends a turn

local function forget_key()
  typed_in = nil
end

local function watch_keys()
  if open == 0 then
    vim.on_key(nil, namespace)
    pcall(api.nvim_del_autocmd, safe_state)
    safe_state = nil
    return
  end
  -- What waits in the main loop's queue since before the key was typed runs after SafeState.
  safe_state = safe_state
    or api.nvim_create_autocmd("SafeState", {
      group = group,
      desc = "Ends a typed command",
      callback = function()
        -- A command of the command-line window runs after that was left.
        if fn.getcmdwintype() == "" then
          forget_key()
        end
      end,
    })
  vim.on_key(function(_, typed)
    if (typed or "") == "" then
      return
    elseif not typed_in then
      vim.schedule(forget_key)
    end
    typed_in = current_window()
  end, namespace)
end

--- Whether the user wrote the buffer, and not a plugin: a key was typed for it in its own window.
--- Neovim makes that window the current one for the autocommand of any write, `:wa` elsewhere too;
--- an autocommand around ours is a plugin's.
local function is_users_write(buf)
  local autocommands = select(2, fn.expand("<stack>"):gsub("Autocommands for", ""))
  return typed_in ~= nil
    and api.nvim_win_is_valid(typed_in)
    and api.nvim_win_get_buf(typed_in) == buf
    and autocommands == 1
end

--- Whether all of the buffer is written, and under its own name.
---@param name string
local function is_whole(buf, name)
  local first, last = api.nvim_buf_get_mark(buf, "[")[1], api.nvim_buf_get_mark(buf, "]")[1]
  return name == api.nvim_buf_get_name(buf) and first <= 1 and last >= api.nvim_buf_line_count(buf)
end

--- Notes where Neovim puts the cursor whose window is being closed.
---@return fun(): integer? previous The window it was in before that one, unless the user went on
local function where_it_lands()
  local previous, landed = fn.win_getid(fn.winnr("#")), nil
  local autocmd = api.nvim_create_autocmd("WinEnter", {
    group = group,
    once = true,
    callback = function()
      landed = api.nvim_get_current_win()
    end,
  })
  return function()
    pcall(api.nvim_del_autocmd, autocmd)
    return landed == api.nvim_get_current_win() and previous or nil
  end
end

---@class claudecode.Decisions
---@field accept fun()
---@field reject fun()
---@field leave fun(previous?: integer) The last window of the proposal was closed, or its buffer; with the window
--- in which the cursor was before, 0 if that is not known, if it is to return there

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

  on("BufWriteCmd", { buffer = buf, desc = "Accepts Claude's change" }, function(event)
    if is_users_write(buf) and is_whole(buf, event.match) then
      decisions.accept()
    elseif not hinted then
      hinted = true
      log.warn("diff", "Not accepted by that write: use :w in the proposal's window, or :ClaudeCodeDiffAccept in it")
    end
  end)

  on({ "BufUnload", "BufDelete", "BufWipeout" }, { buffer = buf, desc = "Rejects Claude's change" }, function()
    decisions.leave()
  end)

  on("WinClosed", { desc = "Rejects Claude's change" }, function(event)
    local closed = tonumber(event.match)
    if closed ~= win and not (api.nvim_win_is_valid(closed) and api.nvim_win_get_buf(closed) == buf) then
      return
    end
    local landed = closed == api.nvim_get_current_win() and where_it_lands() or nil
    -- Asked after the window is gone: it may have been one of several.
    vim.schedule(function()
      local stays = landed and landed()
      if api.nvim_buf_is_valid(buf) and #fn.win_findbuf(buf) == 0 then
        decisions.leave(stays)
      end
    end)
  end)

  open = open + 1
  watch_keys()
  local stopped = false
  return function()
    if stopped then
      return
    end
    stopped = true
    for _, id in ipairs(autocmds) do
      pcall(api.nvim_del_autocmd, id)
    end
    open = open - 1
    watch_keys()
  end
end

return M
