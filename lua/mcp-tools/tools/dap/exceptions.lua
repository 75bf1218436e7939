--- Exceptions at which a program stops.

local calls = require("mcp-tools.tools.dap.call")
local sessions = require("mcp-tools.tools.dap.sessions")

local M = {}

local function set(call, args)
  local track = sessions.find(call, args)
  sessions.require(call, track, "exceptionBreakpointFilters", "exception breakpoints")
  local known = {}
  for _, filter in ipairs(track.session.capabilities.exceptionBreakpointFilters) do
    known[filter.filter] = filter.label or filter.filter
  end
  for _, name in ipairs(args.filters) do
    if not known[name] then
      local names = table.concat(vim.tbl_keys(known), ", ")
      call:fail(("The debug adapter has no exception filter %q, only: %s"):format(name, names))
    end
  end
  local filters = #args.filters > 0 and args.filters or vim.empty_dict()
  -- Not each adapter answers with a body.
  local answer = calls.ask(call, track, "setExceptionBreakpoints", { filters = filters }, calls.request_ms)
  if answer.timeout or answer.err then
    call:fail("Failed to set exception breakpoints: " .. (answer.err or "request timed out"))
  end
  return { success = true, message = "Exception breakpoints set", filters = args.filters, available = known }
end

M.tools = {
  {
    name = "dap_set_exception_breakpoints",
    description = "Choose the exceptions at which the program stops, from those that the debug adapter has filters for",
    args = {
      filters = {
        type = "array",
        items = { type = "string" },
        description = "Names of filters; empty for none",
        required = true,
      },
      session = sessions.arg,
    },
    annotations = { readOnlyHint = false, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    run = set,
  },
}

return M
