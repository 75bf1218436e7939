--- Types text into the Claude that runs in the editor.

local M = {}

local paste_start, paste_end = "\27[200~", "\27[201~"

--- The text as a terminal gets it: several lines are one paste, so that none submits.
---@param text string
---@return string
local function typed(text)
  text = text:gsub("\r\n?", "\n")
  if not text:find("\n") then
    return text
  end
  -- A text that ended the paste itself would go on as keys.
  return paste_start .. text:gsub("\27%[20[01]~", "") .. paste_end
end

--- The channel of a terminal.
---@param buf integer
---@return integer? channel
local function channel_of(buf)
  local channel = vim.b[buf].terminal_job_id
  channel = type(channel) == "number" and channel > 0 and channel or vim.bo[buf].channel
  return channel > 0 and channel or nil
end

---@param text any
---@param submit boolean Whether Enter follows
---@return boolean sent
---@return string? problem
function M.send(text, submit)
  if type(text) ~= "string" or text == "" then
    return false, "no text to send"
  end
  local terminal = require("claudecode.terminal")
  local name = require("claudecode").state.config.terminal.provider
  if name == "none" or (name == "external" and not terminal.get_active_terminal_bufnr()) then
    return false, ('the provider "%s" has no terminal in the editor'):format(name)
  end
  local buf = terminal.get_active_terminal_bufnr()
  if not buf then
    return false, "no Claude runs in the editor"
  end
  local channel = channel_of(buf)
  if not channel then
    return false, "Claude's terminal has no channel"
  end
  local ok = pcall(vim.api.nvim_chan_send, channel, typed(text) .. (submit and "\r" or ""))
  if not ok then
    return false, "Claude has ended"
  end
  return true
end

return M
