--- The tools of the debugger, which is the user's nvim-dap. Nothing of it is loaded before a tool is
--- called. They follow nvim-dap's own events; no call keeps the editor waiting, and none takes the user
--- anywhere unless it says so.

local calls = require("mcp-tools.tools.dap.call")
local touches = require("mcp-tools.permissions.touches")

---@class mcp_tools.dap.Tool: mcp_tools.Tool
---@field run fun(call: mcp_tools.WaitingCall, args: table): any

--- Files of tools, in the order in which they are listed.
local files = { "status", "run", "control", "wait", "ending", "breakpoints", "exceptions", "look", "values" }

--- Tools about a place in a file, which their arguments name.
local about_files = { dap_run_to = true, dap_set_breakpoint = true, dap_remove_breakpoint = true }

require("mcp-tools.tools.dap.watch").arm()

return vim
  .iter(files)
  :map(function(file)
    return require("mcp-tools.tools.dap." .. file).tools
  end)
  :flatten()
  :map(function(spec)
    local run = spec.run
    spec.run = nil
    if not spec.paths and not about_files[spec.name] then
      spec.paths = touches.none
    end
    return calls.tool(spec, run)
  end)
  :totable()
