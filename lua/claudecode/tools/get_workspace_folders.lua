--- getWorkspaceFolders: the folder this editor works in.

local tools = require("claudecode.tools")
local paths = require("claudecode.paths")

return {
  paths = require("mcp-tools.permissions.touches").none,
  execute = function(cb)
    local root = vim.fn.getcwd()
    local folder = { name = vim.fs.basename(root), uri = paths.to_uri(root), path = root }
    cb(tools.json({ success = true, folders = { folder }, rootPath = root }))
  end,
}
