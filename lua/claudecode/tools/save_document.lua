--- saveDocument: writes a file that is open, with everything that happens when the user does.

local tools = require("claudecode.tools")
local disk = require("claudecode.disk")
local paths = require("claudecode.paths")

--- Writes a buffer to its file.
---@return string? err
local function save(buf)
  -- Neovim would ask whether to write over it, as it does with 'confirm' about much else.
  if disk.changed(buf) then
    return "the file has changed since it was read"
  end
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local err = vim.api.nvim_buf_call(buf, function()
    local ok, err = pcall(vim.api.nvim_cmd, { cmd = "write", mods = { silent = true } }, {})
    return not ok and tostring(err):gsub("^Vim[^:]*:", "") or nil
  end)
  vim.o.confirm = confirm
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
    cb(tools.json({
      success = not err,
      filePath = args.filePath,
      saved = not err or nil,
      message = err and "Failed to save file: " .. err or "Document saved successfully",
    }))
  end,
}
