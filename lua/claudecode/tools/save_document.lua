--- saveDocument: writes a file that is open, with everything that happens when the user does.

local tools = require("claudecode.tools")
local disk = require("claudecode.disk")
local log = require("claudecode.log")
local paths = require("claudecode.paths")

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

--- Writes a buffer to its file.
---@return string? err
local function save(buf)
  -- Neovim would ask whether to write over it, as it does with 'confirm' about much else.
  if disk.changed(buf) then
    return "the file has changed since it was read"
  end
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local ok, outcome = pcall(vim.api.nvim_buf_call, buf, write)
  vim.o.confirm = confirm
  local err = not ok and outcome or outcome.err
  -- Lua adds a stack traceback, Vim where the error was caught.
  err = err and vim.trim(tostring(err)):match("^[^\n]*"):gsub("^Vim[^:]*:", "")
  if err and ok and outcome.written then
    log.warn("saveDocument", "An autocommand failed while a file was saved: " .. err)
    return nil
  end
  return err
end

return {
  name = "saveDocument",
  description = "Save a file that is open in the editor",
  input_schema = tools.schema({
    filePath = { type = "string", description = "Path of the file to save" },
  }, { "filePath" }),
  ide = true,
  execute = function(cb, args)
    if type(args.filePath) ~= "string" then
      return cb(nil, { code = -32602, message = "Invalid params", data = "Missing filePath parameter" })
    end
    local buf = paths.find_open(args.filePath)
    if not buf then
      return cb(tools.json({ success = false, message = "Document not open: " .. args.filePath }))
    end
    local err = save(buf)
    if not err then
      disk.remember(buf)
    end
    cb(tools.json({
      success = not err,
      filePath = args.filePath,
      saved = not err or nil,
      message = err and "Failed to save file: " .. err or "Document saved successfully",
    }))
  end,
}
