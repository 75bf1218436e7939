--- Writes a buffer to its file, with everything that happens when the user does.

local disk = require("claudecode.disk")
local log = require("claudecode.log")
local strict = require("claudecode.strict")

local M = {}

--- Runs :write in the current buffer. As when the user does, an autocommand that fails is no reason
--- not to write.
---@return { written: boolean, err: string? } outcome written: the file was; what a BufWriteCmd does is not known
local function write()
  local buf, saves = vim.api.nvim_get_current_buf(), vim.fn.undotree().save_last
  vim.v.errmsg = ""
  local ok, err = pcall(vim.api.nvim_cmd, { cmd = "write", mods = { silent = true, emsg_silent = true } }, {})
  local written = vim.api.nvim_get_current_buf() == buf and vim.fn.undotree().save_last > saves
  return { written = written, err = not ok and tostring(err) or vim.v.errmsg ~= "" and vim.v.errmsg or nil }
end

--- Writes it, unless somebody else has written the file since the buffer was read.
---@param who string Who is named in a warning
---@param buf integer
---@return string? err
function M.buffer(who, buf)
  -- Neovim would ask whether to write over it, as it does with 'confirm' about much else.
  if disk.changed(buf) then
    return "the file has changed since it was read"
  end
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local ok, outcome = pcall(vim.api.nvim_buf_call, buf, write)
  vim.o.confirm = confirm
  local err = not ok and outcome or outcome.err
  err = err and strict.reason(vim.trim(tostring(err)))
  if err and ok and outcome.written then
    log.warn(who, "An autocommand failed while a file was saved: " .. err)
    err = nil
  end
  if not err then
    disk.remember(buf)
  end
  return err
end

return M
