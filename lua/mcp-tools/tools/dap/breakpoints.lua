--- Breakpoints: nvim-dap's own, so that the user sees them, and sets and removes the same.

local columns = require("mcp-tools.tools.dap.columns")
local sending = require("mcp-tools.tools.dap.sending")
local sessions = require("mcp-tools.tools.dap.sessions")
local show = require("mcp-tools.show")

local M = {}

local api = vim.api

--- The capability that each kind of breakpoint needs.
local kinds = {
  { arg = "condition", capability = "supportsConditionalBreakpoints", what = "conditions of breakpoints" },
  { arg = "hit_condition", capability = "supportsHitConditionalBreakpoints", what = "hit conditions of breakpoints" },
  { arg = "log_message", capability = "supportsLogPoints", what = "log points" },
}

local function given(text)
  return type(text) == "string" and text ~= "" and text or nil
end

--- The buffer and the line that the arguments name.
---@return integer buf
---@return integer line
function M.target(call, args)
  local buf, err = show.load(call.name, args.filename)
  if not buf then
    call:fail(err)
  end
  local count = api.nvim_buf_line_count(buf)
  if args.line < 1 or args.line > count or args.line ~= math.floor(args.line) then
    call:fail(("There is no line %s in %s: it has %d"):format(tostring(args.line), args.filename, count))
  end
  return buf, args.line
end

local function set(call, args)
  local buf, line = M.target(call, args)
  sessions.dap(call)
  local tracks = sending.ready(call)
  for _, track in ipairs(tracks) do
    for _, kind in ipairs(kinds) do
      if given(args[kind.arg]) then
        sessions.require(call, track, kind.capability, kind.what)
      end
    end
  end
  local log = given(args.log_message)
  local ok, err = pcall(require("dap.breakpoints").set, {
    condition = given(args.condition),
    hit_condition = given(args.hit_condition),
    log_message = log,
  }, buf, line)
  if not ok then
    call:fail("Failed to set breakpoint: " .. tostring(err))
  end
  columns.set(buf, line, args.column)
  local result = {
    success = true,
    message = ("Set %s at %s:%d"):format(log and "logpoint" or "breakpoint", args.filename, line),
  }
  for _, track in ipairs(tracks) do
    local said = sending.send(call, track, buf, line)
    if not said then
      result.note = "The debug adapter has not answered"
    else
      result.verified = result.verified or said.verified == true
      result.note = said.message or result.note
      result.actual_line = said.line ~= line and said.line or nil
    end
  end
  if args.show then
    require("mcp-tools.tools.dap.wait").show(call, buf, line, args.column)
  end
  return result
end

--- The buffer of a file that may have breakpoints: nvim-dap has them in closed ones, too.
---@param path string Absolute
---@return integer? buf
local function find(path)
  local function real(name)
    return not name:find("\0", 1, true) and vim.uv.fs_realpath(name) or name
  end
  return require("claudecode.paths").find_buffer(path)
    or vim.iter(vim.tbl_keys(require("dap.breakpoints").get())):find(function(buf)
      return real(api.nvim_buf_get_name(buf)) == real(path)
    end)
end

local function remove(call, args)
  sessions.dap(call)
  local buf = find(require("mcp-tools.files").absolute(args.filename))
  local ok, removed = pcall(function()
    return buf ~= nil and require("dap.breakpoints").remove(buf, args.line)
  end)
  if not ok then
    call:fail("Failed to remove breakpoint: " .. tostring(removed))
  end
  if removed then
    columns.set(buf, args.line)
    for _, track in ipairs(sending.ready(call)) do
      sending.send(call, track, buf, args.line)
    end
  end
  local text = removed and "Removed breakpoint at %s:%d" or "There was no breakpoint at %s:%d"
  return { success = true, removed = removed, message = text:format(args.filename, args.line) }
end

local function clear(call)
  local dap = sessions.dap(call)
  local ok, err = pcall(dap.clear_breakpoints)
  if not ok then
    call:fail("Failed to clear breakpoints: " .. tostring(err))
  end
  columns.clear()
  return { success = true, message = "All breakpoints cleared" }
end

local function type_of(bp)
  if bp.state and bp.state.verified == false then
    return "breakpointrejected"
  elseif given(bp.condition) then
    return "breakpointcondition"
  end
  return given(bp.logMessage) and "logpoint" or "breakpoint"
end

local function list(call)
  sessions.dap(call)
  local found = {}
  for buf, bps in pairs(require("dap.breakpoints").get()) do
    for _, bp in ipairs(bps) do
      table.insert(found, {
        file = api.nvim_buf_get_name(buf),
        line = bp.line,
        column = columns.get(buf, bp.line),
        type = type_of(bp),
        verified = bp.state ~= nil and bp.state.verified == true,
        message = bp.state and bp.state.message,
        condition = given(bp.condition),
        hit_condition = given(bp.hitCondition),
        log_message = given(bp.logMessage),
      })
    end
  end
  table.sort(found, function(a, b)
    return a.file == b.file and a.line < b.line or a.file < b.file
  end)
  return found
end

local filename = { type = "string", description = "Path of the file, loaded or not", required = true }
local line = { type = "number", description = "Line, from 1", required = true }

--- How tools name a line of a file.
M.place_args = { filename = filename, line = line }

local changing = { readOnlyHint = false, destructiveHint = false, idempotentHint = true, openWorldHint = false }

M.tools = {
  {
    name = "dap_set_breakpoint",
    description = "Set a breakpoint, or replace the one of that line. With log_message it prints that and does not"
      .. " stop. verified says whether a running debug adapter took it",
    args = {
      filename = filename,
      line = line,
      column = { type = "number", description = "Column in bytes, from 1, if one line has several places", min = 1 },
      condition = { type = "string", description = "Expression that must be true" },
      hit_condition = { type = "string", description = "How many hits it takes, as the debug adapter writes it" },
      log_message = { type = "string", description = "Message to print; {expressions} are put in" },
      show = { type = "boolean", description = "Take the user there, once they do not type", default = false },
    },
    annotations = changing,
    -- The program evaluates them.
    policy = "ask",
    policy_args = vim.tbl_map(function(kind)
      return kind.arg
    end, kinds),
    run = set,
  },
  {
    name = "dap_remove_breakpoint",
    description = "Remove the breakpoint of a line; it is no error if there is none",
    args = M.place_args,
    annotations = changing,
    run = remove,
  },
  {
    name = "dap_clear_breakpoints",
    description = "Remove all breakpoints, those of the user too",
    args = {},
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = true, openWorldHint = false },
    run = clear,
  },
  {
    name = "dap_breakpoints",
    description = "List all breakpoints with their conditions, hit conditions and log messages",
    args = {},
    annotations = { readOnlyHint = true, openWorldHint = false },
    run = list,
  },
}

return M
