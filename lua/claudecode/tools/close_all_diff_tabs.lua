--- closeAllDiffTabs: closes the diffs that Claude opened, and says how many there were. Claude
--- calls it with every prompt; windows that are in diff mode for another reason are not touched.

local tools = require("claudecode.tools")

return {
  paths = require("mcp-tools.permissions.touches").none,
  execute = function(cb, _, ctx)
    require("claudecode.selection").on_prompt(ctx.client)
    require("claudecode.turns.latest").on_prompt()
    local count = require("claudecode.diff").close_all_diffs("closeAllDiffTabs", ctx.client)
    cb(tools.text(("CLOSED_%d_DIFF_TABS"):format(count)))
  end,
}
