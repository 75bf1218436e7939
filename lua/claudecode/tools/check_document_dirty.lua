--- checkDocumentDirty: whether a file that is open has changes that were not saved.

local tools = require("claudecode.tools")
local paths = require("claudecode.paths")

return {
  execute = function(cb, args)
    local buf = tools.document(cb, args)
    if not buf then
      return
    end
    cb(tools.json({
      success = true,
      filePath = args.filePath,
      isDirty = vim.bo[buf].modified,
      isUntitled = paths.is_untitled(vim.api.nvim_buf_get_name(buf)),
    }))
  end,
}
