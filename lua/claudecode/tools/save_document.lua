--- saveDocument: writes a file that is open, with everything that happens when the user does.

local tools = require("claudecode.tools")
local save = require("claudecode.save")

return {
  execute = function(cb, args)
    local buf = tools.document(cb, args)
    if not buf then
      return
    end
    local err = save.buffer("saveDocument", buf)
    cb(tools.json({
      success = not err,
      filePath = args.filePath,
      saved = not err or nil,
      message = err and "Failed to save file: " .. err or "Document saved successfully",
    }))
  end,
}
