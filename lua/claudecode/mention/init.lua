--- At-mentions: files and lines that the user puts into Claude's prompt.

local M = {}

local function server_runs()
  return require("claudecode.server").state.server ~= nil
end

--- Shows the Claude that gets the mention, as far as its provider can. If none is connected it is
--- opened.
local function show_terminal()
  local claudecode, terminal = require("claudecode"), require("claudecode.terminal")
  if claudecode.is_claude_connected() then
    terminal.ensure_visible(claudecode.state.config.focus_after_send)
  else
    terminal.open()
  end
end

--- Tells whoever listens, once a client was sent the mention.
---@param mention claudecode.Mention
local function announce(mention)
  pcall(vim.api.nvim_exec_autocmds, "User", {
    pattern = "ClaudeCodeSendComplete",
    modeline = false,
    data = {
      file_path = mention.file_path,
      start_line = mention.start_line,
      end_line = mention.end_line,
      context = mention.context,
    },
  })
end

--- Mentions a file or folder, with lines or without. It waits for a client if there is none.
---@param path string
---@param start_line? integer From 0
---@param end_line? integer From 0, included
---@param context? string Who asked, for the event; "command" if absent
---@return boolean ok
---@return string? err
function M.send(path, start_line, end_line, context)
  if not server_runs() then
    return false, "Claude Code integration is not running"
  end
  local formatted, is_directory = require("claudecode.mention.path").format(path)
  if not formatted then
    return false, is_directory --[[@as string]]
  end
  if is_directory then
    start_line, end_line = nil, nil
  end
  -- Claude takes both lines or none.
  end_line = end_line or start_line
  local ok, err = require("claudecode.mention.queue").add({
    file_path = formatted,
    start_line = start_line,
    end_line = end_line,
    context = context or "command",
    on_sent = announce,
  })
  if not ok then
    return false, err
  end
  show_terminal()
  return true
end

--- Why nothing of a buffer may be mentioned, else whether its lines may be too.
---@param buf integer
---@return string? obstacle
---@return boolean lines
function M.examine(buf)
  local what, is_unnamed = require("claudecode.selection").filter_of(buf), vim.api.nvim_buf_get_name(buf) == ""
  if what == "none" or is_unnamed then
    local hint = is_unnamed and vim.bo[buf].buftype == "" and ": :w NAME makes one" or ""
    return "this buffer has no file that Claude could read" .. hint, false
  end
  return nil, what == "full"
end

--- Mentions lines of a buffer's file.
---@param buf integer
---@param first integer From 1
---@param last integer From 1, included
---@param context string
---@return boolean ok
---@return string? err
function M.send_lines(buf, first, last, context)
  local name = vim.api.nvim_buf_get_name(buf)
  local obstacle, with_lines = M.examine(buf)
  if obstacle then
    return false, obstacle
  elseif not with_lines then
    return M.send(name, nil, nil, context)
  end
  return M.send(name, first - 1, last - 1, context)
end

return M
