--- :ClaudeCodeStatus: a small window that shows what the server is doing, as long as it is open.

local words = require("claudecode.words")

local M = {}

local api = vim.api

--- Between two looks.
M.refresh_ms = 1000

--- The part of the screen that it takes at most.
local max_width, max_height = 0.8, 0.5

---@class claudecode.StatusView
---@field buf integer
---@field win integer
---@field timer uv.uv_timer_t
---@field cancel fun() Of the question to the daemon
---@field asked_at number When that was asked, vim.uv.now(), unless it is answered
---@field report? claudecode.Report The last answer

local view ---@type claudecode.StatusView?

--- Whether the server runs, in a sentence.
---@return string
function M.headline()
  local status = require("claudecode.server").get_status()
  local state = "not running"
  if status.restarting then
    state = "being restarted on port " .. status.port
  elseif status.running then
    state = "running on port " .. status.port
  end
  return "Claude Code integration is " .. state
end

---@param report claudecode.Report
local function about_daemon(report)
  return ("daemon %d, version %s, up for %s"):format(report.pid, report.version, words.span(report.uptime_ms))
end

---@param report claudecode.Report
---@return string[]
local function about_clients(report)
  local lines = {}
  local known = vim.tbl_filter(function(client)
    return client.state ~= "connecting"
  end, report.clients)
  for _, client in ipairs(known) do
    table.insert(lines, words.client(client))
    table.insert(lines, client.state == "connected" and "  " .. words.pulse(client) or nil)
    for _, call in ipairs(client.calls) do
      table.insert(lines, "  " .. words.call(call))
    end
  end
  return #lines > 0 and lines or { "No Claude is connected." }
end

--- The clients of HTTP, if there are any.
---@param report claudecode.Report
---@return string[]
local function about_guests(report)
  local lines = {}
  for _, guest in ipairs(report.guests) do
    table.insert(lines, words.guest(guest))
    for _, call in ipairs(guest.calls) do
      table.insert(lines, "  " .. words.call(call))
    end
  end
  table.insert(lines, #report.connections > 0 and words.connections(report.connections) or nil)
  return lines
end

--- The last error that the user was told.
---@return string?
local function last_error()
  local lines = require("claudecode.log").recent()
  for i = #lines, 1, -1 do
    if lines[i]:find("[ERROR]", 1, true) then
      return lines[i]
    end
  end
end

--- What waits for the user.
---@return string[]
local function about_waiting()
  local lines = {}
  local _, reviews = require("claudecode.activity").count()
  if reviews > 0 then
    table.insert(lines, words.count(reviews, "change waits", "changes wait") .. " for your review")
  end
  table.insert(lines, require("claudecode.moment").summary())
  return lines
end

---@param report? claudecode.Report
---@param silent_ms number For how long the daemon owes an answer
---@return string[]
local function compose(report, silent_ms)
  local lines = { M.headline() }
  if silent_ms >= M.refresh_ms then
    table.insert(lines, ("The daemon has not answered for %s."):format(words.span(silent_ms)))
  end
  if report then
    table.insert(lines, about_daemon(report))
    table.insert(lines, "")
    vim.list_extend(lines, about_clients(report))
    vim.list_extend(lines, about_guests(report))
    if report.last_upgrade and not report.last_upgrade.accepted then
      table.insert(lines, "last try to connect: " .. words.upgrade(report.last_upgrade))
    end
  end
  for _, block in ipairs({ about_waiting(), { last_error() } }) do
    if #block > 0 then
      table.insert(lines, "")
      vim.list_extend(lines, block)
    end
  end
  return vim.tbl_map(words.plain, lines)
end

---@param lines string[]
local function window_for(lines)
  local widest = 0
  for _, line in ipairs(lines) do
    widest = math.max(widest, api.nvim_strwidth(line))
  end
  local width = math.max(1, math.min(math.max(widest, 40), math.floor(vim.o.columns * max_width)))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(api.nvim_strwidth(line) / width)) -- long lines are wrapped
  end
  local height = math.max(1, math.min(rows, math.floor(vim.o.lines * max_height)))
  return {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
  }
end

---@param it claudecode.StatusView
local function render(it)
  local silent_ms = it.asked_at and vim.uv.now() - it.asked_at or 0
  local lines = compose(it.report, silent_ms)
  if vim.deep_equal(lines, api.nvim_buf_get_lines(it.buf, 0, -1, false)) then
    return
  end
  vim.bo[it.buf].modifiable = true
  api.nvim_buf_set_lines(it.buf, 0, -1, false, lines)
  vim.bo[it.buf].modifiable = false
  api.nvim_win_set_config(it.win, window_for(lines))
end

---@param it claudecode.StatusView
local function close(it)
  it.cancel()
  it.timer:stop()
  if not it.timer:is_closing() then
    it.timer:close()
  end
  if view == it then
    view = nil
  end
end

---@param it claudecode.StatusView
local function refresh(it)
  if not api.nvim_win_is_valid(it.win) then
    return close(it) -- its buffer is shown elsewhere too
  end
  it.cancel()
  it.asked_at = it.asked_at or vim.uv.now()
  if require("claudecode.daemon").current() then
    it.cancel = require("claudecode.inquiry").ask(function(report)
      it.report, it.asked_at = report, nil
      render(it)
    end)
  else
    it.report, it.asked_at = nil, nil
  end
  render(it)
end

---@return claudecode.StatusView
local function create()
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].filetype = "claudecode-status"
  local config = vim.tbl_extend("error", window_for({}), {
    style = "minimal",
    border = "rounded",
    title = " Claude Code ",
    footer = " q: close ",
  })
  local ok, win = pcall(api.nvim_open_win, buf, true, config)
  if not ok then
    api.nvim_buf_delete(buf, { force = true })
    error(win, 0)
  end
  vim.wo[win].wrap = true
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = buf, nowait = true, desc = "Close" })
  end
  return { buf = buf, win = win, timer = assert(vim.uv.new_timer()), cancel = function() end }
end

--- Opens the view, or goes to it.
function M.open()
  if view and api.nvim_win_is_valid(view.win) then
    return api.nvim_set_current_win(view.win)
  elseif view then
    close(view)
  end
  local it = create()
  view = it
  -- The buffer goes with its window, whatever closes that.
  api.nvim_create_autocmd("BufWipeout", {
    buffer = it.buf,
    callback = function()
      close(it)
    end,
  })
  local look = vim.schedule_wrap(function()
    if view == it then
      refresh(it)
    end
  end)
  it.timer:start(M.refresh_ms, M.refresh_ms, look)
  refresh(it)
end

--- The command: with `!`, or where nobody looks, one message.
---@param given { bang: boolean }
function M.command(given)
  local nobody = #api.nvim_list_uis() == 0
  -- No window opens from the command-line window.
  if given.bang or nobody or vim.fn.getcmdwintype() ~= "" then
    return require("claudecode").status()
  end
  M.open()
end

return M
