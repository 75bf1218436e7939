--- Tools that look into a program that is paused.

local calls = require("mcp-tools.tools.dap.call")
local cut = require("mcp-tools.cut")
local place = require("mcp-tools.tools.dap.place")
local sessions = require("mcp-tools.tools.dap.sessions")

local M = {}

--- Entries of a list in one answer, and bytes of one value.
M.max_entries, M.max_value = 500, 2048

--- The part of a list that is told, with its long values cut. An adapter may not know what a part is.
---@param call mcp_tools.WaitingCall
---@param list table[]
---@param args { start?: number, count?: number }
---@param advice string How to read on
local function part(call, list, args, advice)
  local limit = math.min(args.count and args.count > 0 and args.count or M.max_entries, M.max_entries)
  local first = #list > limit and args.start and args.count and math.min(args.start, #list) or 0
  local told = vim.list_slice(list, first + 1, first + limit)
  for i, entry in ipairs(told) do
    if type(entry.value) == "string" and #entry.value > M.max_value then
      told[i] = vim.tbl_extend("force", entry, { value = cut.marked(entry.value, M.max_value) })
    end
    call:pause()
  end
  if #told < #list then
    call:note(("%d to %d of %d. %s"):format(first + 1, first + #told, #list, advice))
  end
  return told
end

local function stack(call, args)
  local track = sessions.paused(call, args)
  local thread = sessions.thread(call, track, args)
  if not thread then
    call:fail("No stopped thread")
  end
  local body = calls.request(call, track, "stackTrace", {
    threadId = thread,
    startFrame = args.start_frame,
    levels = args.levels,
  }, args.timeout_ms)
  local frames = body.stackFrames or {}
  return {
    thread_id = thread,
    total_frames = body.totalFrames or #frames,
    stack_frames = part(call, frames, { count = args.levels }, "Use start_frame and levels"),
  }
end

local function scopes(call, args)
  local track = sessions.paused(call, args)
  return calls.request(call, track, "scopes", { frameId = args.frame_id }, args.timeout_ms).scopes or {}
end

local function variables(call, args)
  local track = sessions.paused(call, args)
  local body = calls.request(call, track, "variables", {
    variablesReference = args.variables_reference,
    filter = args.filter,
    start = args.start,
    count = args.count,
  }, args.timeout_ms)
  return part(call, body.variables or {}, args, "Use start and count for others")
end

local function threads(call, args)
  local track = sessions.find(call, args)
  local all = calls.request(call, track, "threads", nil, args.timeout_ms).threads or {}
  return part(call, all, {}, "The others are not listed")
end

local function location(call, args)
  local track = sessions.paused(call, args)
  local frame = track.stop and place.frame(call, track, calls.limit(call, args.timeout_ms, calls.request_ms))
  if not frame then
    call:fail("No current execution location available")
  end
  local at = place.location(frame)
  return { location = at, code_context = place.context(call, at, args.context_lines), session = track.id }
end

local function disassemble(call, args)
  local track = sessions.paused(call, args)
  sessions.require(call, track, "supportsDisassembleRequest", "disassembly")
  local reference = args.memory_reference
  if not reference then
    local frame = place.frame(call, track, calls.limit(call, args.timeout_ms, calls.request_ms))
    reference = frame and frame.instructionPointerReference
  end
  if not reference then
    call:fail("The current frame has no instruction pointer; give memory_reference")
  end
  local body = calls.request(call, track, "disassemble", {
    memoryReference = reference,
    instructionOffset = args.instruction_offset,
    instructionCount = math.min(args.instruction_count, M.max_entries),
    resolveSymbols = true,
  }, args.timeout_ms)
  return part(call, body.instructions or {}, {}, "Use instruction_offset for others")
end

local function number(description, more)
  return vim.tbl_extend("error", { type = "number", description = description }, more or {})
end

local function text(description, more)
  return vim.tbl_extend("error", { type = "string", description = description }, more or {})
end

local at_most = (", no more than %d"):format(M.max_entries)

local function join(args)
  return vim.tbl_extend("error", { session = sessions.arg, timeout_ms = calls.timeout_arg }, args)
end

---@type mcp_tools.dap.Tool[]
M.tools = {
  {
    name = "dap_stacktrace",
    description = "Get the stack frames of a stopped thread. Their ids are for dap_scopes and dap_evaluate",
    args = join({
      thread_id = sessions.thread_arg,
      levels = number("How many frames, 0 for all" .. at_most, { default = 20, min = 0 }),
      start_frame = number("Frames to leave out", { default = 0, min = 0 }),
    }),
    run = stack,
  },
  {
    name = "dap_scopes",
    description = "Get the scopes of a stack frame. Their variablesReference is for dap_variables",
    args = join({ frame_id = number("Id of a stack frame", { required = true }) }),
    run = scopes,
  },
  {
    name = "dap_variables",
    description = "Get the variables of a scope, or what is in a variable that has a variablesReference",
    args = join({
      variables_reference = number("Of a scope or variable", { required = true }),
      filter = text("Only these", { enum = { "indexed", "named" } }),
      start = number("Variables to leave out", { min = 0 }),
      count = number("How many" .. at_most, { min = 0 }),
    }),
    run = variables,
  },
  {
    name = "dap_threads",
    description = "List the threads of the program",
    args = join({}),
    run = threads,
  },
  {
    name = "dap_current_location",
    description = "Get where the program is paused, with the code around it as the editor has it",
    args = join({ context_lines = place.context_arg }),
    output_schema = {
      type = "object",
      properties = {
        location = {
          type = "object",
          properties = {
            file = { type = "string" },
            line = { type = "integer" },
            column = { type = "integer" },
            function_name = { type = "string" },
          },
          required = { "file", "line", "column", "function_name" },
        },
        code_context = { type = "string" },
        session = { type = "integer" },
      },
      required = { "location" },
    },
    run = location,
  },
  {
    name = "dap_disassemble",
    description = "Get the machine instructions at an address, by default at the current frame's",
    args = join({
      memory_reference = text("Address, such as a frame's instructionPointerReference"),
      instruction_offset = number("Instructions to skip, or to go back", { default = 0 }),
      instruction_count = number("How many" .. at_most, { default = 20, min = 1 }),
    }),
    run = disassemble,
  },
}

for _, tool in ipairs(M.tools) do
  tool.annotations = { readOnlyHint = true, openWorldHint = false }
end

return M
