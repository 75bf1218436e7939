--- getLatestSelection: what was selected last, or where the cursor is.

local tools = require("claudecode.tools")

return {
  name = "getLatestSelection",
  description = "Get the most recent selection of text in the editor, even if another window is active",
  input_schema = tools.schema({}),
  ide = true,
  paths = function()
    local selection = require("claudecode.selection").get_latest_selection()
    return { selection and selection.filePath }
  end,
  execute = function(cb)
    local selection = require("claudecode.selection").get_latest_selection()
    cb(tools.json(selection or { success = false, message = "No selection available" }))
  end,
}
