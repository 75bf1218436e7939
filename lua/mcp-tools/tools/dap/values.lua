--- Tools that evaluate expressions in a program, and change its variables. The user is asked first, unless
--- a rule of theirs allows it.

local calls = require("mcp-tools.tools.dap.call")
local cut = require("mcp-tools.cut")
local place = require("mcp-tools.tools.dap.place")
local sessions = require("mcp-tools.tools.dap.sessions")
local touches = require("mcp-tools.permissions.touches")

local M = {}

--- The id of the frame that is meant.
local function frame_id(call, track, args)
  if args.frame_id then
    return args.frame_id
  end
  local frame = place.frame(call, track, calls.limit(call, args.timeout_ms, calls.request_ms))
  return frame and frame.id
end

local function evaluate(call, args)
  local track = sessions.paused(call, args)
  local answer = calls.ask(call, track, "evaluate", {
    expression = args.expression,
    frameId = frame_id(call, track, args),
    context = args.context,
  }, calls.limit(call, args.timeout_ms, calls.request_ms))
  if answer.timeout then
    call:fail("Evaluation timed out")
  elseif answer.err then
    call:fail("Evaluation failed: " .. answer.err)
  elseif not answer.body then
    call:fail("No evaluation result received")
  end
  local body = answer.body
  return {
    result = cut.marked(tostring(body.result or "<no result>"), cut.page),
    type = body.type or "unknown",
    variables_reference = body.variablesReference or 0,
  }
end

--- Where a variable of a frame is: the reference of what it is in.
local function find_variable(call, track, frame, args)
  local all = calls.request(call, track, "scopes", { frameId = frame }, args.timeout_ms).scopes or {}
  for _, scope in ipairs(all) do
    local reference = { variablesReference = scope.variablesReference }
    local body = scope.expensive and {} or calls.request(call, track, "variables", reference, args.timeout_ms)
    for _, variable in ipairs(body.variables or {}) do
      if variable.name == args.name then
        return scope.variablesReference
      end
    end
  end
end

local function set_variable(call, args)
  local track = sessions.paused(call, args)
  local can = track.session.capabilities or {}
  local reference = args.variables_reference
  local frame = not reference and frame_id(call, track, args)
  if not reference and not frame then
    call:fail("No stopped thread")
  end
  reference = reference or can.supportsSetVariable and find_variable(call, track, frame, args) or nil
  local body
  if reference then
    sessions.require(call, track, "supportsSetVariable", "setting variables")
    local arguments = { variablesReference = reference, name = args.name, value = args.value }
    body = calls.request(call, track, "setVariable", arguments, args.timeout_ms)
  elseif can.supportsSetExpression then
    local arguments = { expression = args.name, value = args.value, frameId = frame }
    body = calls.request(call, track, "setExpression", arguments, args.timeout_ms)
  elseif can.supportsSetVariable then
    call:fail(("There is no variable %q in the frame"):format(args.name))
  else
    sessions.require(call, track, "supportsSetVariable", "setting variables")
  end
  return { success = true, name = args.name, value = body.value, type = body.type }
end

local function text(description, required)
  return { type = "string", description = description, required = required }
end

local function join(args)
  return vim.tbl_extend("error", { session = sessions.arg, timeout_ms = calls.timeout_arg }, args)
end

local frame_arg = { type = "number", description = "Id of a stack frame (default: the current one)" }

local changing = { readOnlyHint = false, destructiveHint = true, openWorldHint = true }

M.tools = {
  {
    name = "dap_evaluate",
    description = "Evaluate an expression in the program, in a stack frame if it is paused",
    args = join({
      expression = text("In the program's language, or as the debug adapter takes it", true),
      frame_id = frame_arg,
      context = {
        type = "string",
        description = "What for: watch, repl, hover, clipboard or variables",
        default = "repl",
      },
    }),
    annotations = changing,
    policy = "ask",
    paths = touches.unknown,
    run = evaluate,
  },
  {
    name = "dap_set_variable",
    description = "Give a variable of the paused program another value",
    args = join({
      name = text("Name of the variable, or an expression if the adapter takes one", true),
      value = text("The value, in the program's language", true),
      variables_reference = { type = "number", description = "What it is in (default: the scopes of the frame)" },
      frame_id = frame_arg,
    }),
    annotations = changing,
    policy = "ask",
    paths = touches.unknown,
    run = set_variable,
  },
}

return M
