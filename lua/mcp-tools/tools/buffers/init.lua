--- Tools of buffers, of the quickfix list and of location lists.

return vim
  .iter({ "list", "read", "open", "edit", "search", "quickfix" })
  :map(function(name)
    local tools = require("mcp-tools.tools.buffers." .. name)
    return vim.islist(tools) and tools or { tools }
  end)
  :flatten()
  :totable()
