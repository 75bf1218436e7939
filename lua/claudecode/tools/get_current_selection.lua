--- getCurrentSelection: the text that is selected, or where the cursor is.

local tools = require("claudecode.tools")

--- What is told: where nothing can be selected, still what was.
---@return claudecode.Selection?
local function selection()
  local selections = require("claudecode.selection")
  return selections.get_latest_selection() or selections.get_open_file()
end

return {
  paths = function()
    local told = selection()
    return { told and told.filePath }
  end,
  execute = function(cb)
    local told = selection()
    if not told then
      return cb(tools.json({ success = false, message = "No active editor found" }))
    end
    cb(tools.json(vim.tbl_extend("error", { success = true }, told)))
  end,
}
