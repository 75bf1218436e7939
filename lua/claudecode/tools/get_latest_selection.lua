--- getLatestSelection: what was selected last, or where the cursor is.

local tools = require("claudecode.tools")

return {
  paths = function()
    local selection = require("claudecode.selection").get_latest_selection()
    return { selection and selection.filePath }
  end,
  execute = function(cb)
    local selection = require("claudecode.selection").get_latest_selection()
    cb(tools.json(selection or { success = false, message = "No selection available" }))
  end,
}
