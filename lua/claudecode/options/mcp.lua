--- Options of the tools that Claude is given beside those of an editor.

local rules = require("claudecode.options.rules")

---@type claudecode.Option[]
return {
  {
    path = "mcp",
    default = {},
    rule = rules.table,
  },
  {
    path = "mcp.enabled",
    default = true,
    rule = rules.boolean,
    doc = [[
Start Claude with `--mcp-config=`, by which its model is offered the tools of this editor, yours too. It is an
argument more; a Claude that runs in a container or on another machine cannot use it.]],
  },
  {
    path = "mcp.always_load",
    default = false,
    rule = rules.boolean,
    doc = [[
Tell the model each tool in full from the start. Otherwise it gets the names, and looks up what it wants to use.]],
  },
}
