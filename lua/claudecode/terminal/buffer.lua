--- The buffer of a Claude that runs in a terminal of the editor, from its start to its end.

local tail = require("claudecode.tail")
local window = require("claudecode.terminal.window")

local api = vim.api

local M = {}

local ending = {} ---@type table<integer, true> Buffers whose process was told to end
local watched = {} ---@type table<integer, number> When each was first watched

--- A Claude that ends sooner never came to work: what it printed says why.
local early_ms = 10000

--- Makes the current buffer the terminal of a command. Raises if it cannot be run.
---@param argv string[]
---@param options table As jobstart() takes them
function M.run(argv, options)
  if vim.fn.has("nvim-0.11") == 1 then
    options.term = true
    vim.fn.jobstart(argv, options)
  else
    vim.fn.termopen(argv, options)
  end
end

--- Whether the buffer's process runs.
---@param buf integer?
---@return boolean
function M.is_live(buf)
  if not (buf and api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == "terminal") then
    return false
  end
  local ok, codes = pcall(vim.fn.jobwait, { vim.bo[buf].channel }, 0)
  return ok and codes[1] == -1
end

--- Continues a process that stopped itself, as Claude does for Ctrl-Z: there is no shell that could.
--- One that runs takes no notice.
---@param buf integer?
function M.wake(buf)
  local pid = buf and vim.b[buf].terminal_job_pid
  if pid then
    pcall(vim.uv.kill, pid, "sigcont")
  end
end

--- Hides the buffer, from all windows.
---@param buf integer
function M.hide(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    window.close(win)
  end
end

--- Removes the buffer and its windows; never raises.
---@param buf integer?
function M.wipe(buf)
  if buf and api.nvim_buf_is_valid(buf) then
    M.hide(buf)
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
end

--- Ends the process and removes the buffer; never raises.
---@param buf integer?
function M.stop(buf)
  if not (buf and api.nvim_buf_is_valid(buf)) then
    return
  end
  ending[buf] = true
  pcall(vim.fn.jobstop, vim.bo[buf].channel)
  M.wipe(buf)
  ending[buf] = nil
end

--- What a process that ended at once printed last, ": " before it; nothing of one that worked.
---@param buf integer
---@param since number
local function last_words(buf, since)
  if vim.uv.now() - since > early_ms or not api.nvim_buf_is_valid(buf) then
    return ""
  end
  local printed = vim.tbl_filter(function(line)
    return not line:find("^%[Process exited %d+%]$")
  end, api.nvim_buf_get_lines(buf, 0, -1, false))
  local words = tail.text({ lines = printed }, 2)
  return words == "" and "" or ": " .. words
end

--- Says how it ended, if nobody wanted that.
---@param code integer
---@param words string
local function report(code, words)
  local function say()
    require("claudecode.log").error("terminal", ("Claude exited with code %d%s"):format(code, words))
  end
  if code == 0 then
    return
  elseif vim.bo.buftype ~= "terminal" and api.nvim_get_mode().mode == "t" then
    -- The window is gone, but not yet its Terminal mode, and its end clears the message area.
    api.nvim_create_autocmd("ModeChanged", { once = true, callback = vim.schedule_wrap(say) })
  else
    say()
  end
end

--- Has the end of a process be no news: its provider is about to be told to end it.
---@param buf integer?
function M.expect_end(buf)
  if buf then
    ending[buf] = true
  end
end

--- The process ended.
---@param buf integer
---@param code integer
---@param auto_close boolean
local function ended(buf, code, auto_close)
  local expected, since = ending[buf], watched[buf]
  ending[buf], watched[buf] = nil, nil
  if expected then
    return
  end
  -- In the autocommand itself the buffer is in use.
  vim.schedule(function()
    local words = last_words(buf, since)
    if auto_close then
      M.wipe(buf)
    end
    pcall(vim.cmd.checktime)
    report(code, words)
  end)
end

--- Whether the key that stops Claude means something else in the terminal already.
---@param buf integer
local function is_mapped(buf)
  return vim.fn.maparg("<C-z>", "t") ~= ""
    or vim.iter(api.nvim_buf_get_keymap(buf, "t")):any(function(map)
      return map.lhs:lower() == "<c-z>"
    end)
end

--- Has the keys of a terminal not stop Claude, and the user told how it ends.
---@param buf integer
---@param auto_close boolean Whether it is removed once its process ended
local function attend(buf, auto_close)
  watched[buf] = vim.uv.now()
  if not is_mapped(buf) then
    vim.keymap.set("t", "<C-z>", "<Nop>", { buffer = buf, desc = "Does not suspend Claude" })
  end
  api.nvim_create_autocmd("TermClose", {
    buffer = buf,
    once = true,
    desc = "Notices the end of Claude",
    callback = function()
      ended(buf, vim.v.event.status, auto_close)
    end,
  })
end

--- Watches a terminal that was just started.
---@param buf integer
---@param auto_close boolean Whether it is removed once its process ended
function M.watch(buf, auto_close)
  attend(buf, auto_close)
  api.nvim_create_autocmd("WinClosed", {
    buffer = buf,
    desc = "Remembers where the user scrolled to",
    callback = function(args)
      window.remember(tonumber(args.match) --[[@as integer]])
    end,
  })
end

--- Watches a terminal that somebody else started and shows, unless it is watched.
---@param buf integer
function M.adopt(buf)
  ending[buf] = nil
  if not watched[buf] and M.is_live(buf) then
    attend(buf, false)
  end
end

return M
