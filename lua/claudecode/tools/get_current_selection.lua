--- getCurrentSelection: the text that is selected, or where the cursor is.

local tools = require("claudecode.tools")

return {
  name = "getCurrentSelection",
  description = "Get the text that is selected in the editor, or the position of the cursor",
  input_schema = tools.schema({}),
  ide = true,
  execute = function(cb)
    local selections = require("claudecode.selection")
    local selection = selections.get_latest_selection() or selections.get_open_file()
    if not selection then
      return cb(tools.json({ success = false, message = "No active editor found" }))
    end
    cb(tools.json(vim.tbl_extend("error", { success = true }, selection)))
  end,
}
