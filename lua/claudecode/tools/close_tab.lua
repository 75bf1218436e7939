--- close_tab: closes the diff of a name. Claude calls it twice for each diff, by the name it gave
--- to openDiff, without finding it in the list of tools. A name that no diff has is no error, and
--- never that of a buffer of the user's.

local tools = require("claudecode.tools")

return {
  paths = require("mcp-tools.permissions.touches").none,
  execute = function(cb, args, ctx)
    if type(args.tab_name) ~= "string" then
      return cb(nil, { code = -32602, message = "Invalid params", data = "Missing tab_name parameter" })
    end
    require("claudecode.diff").close_diff_by_tab_name(args.tab_name, ctx.client)
    cb(tools.text("TAB_CLOSED"))
  end,
}
