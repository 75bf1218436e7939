--- Tools about sessions as such: which there are, and what their programs printed.

local config = require("mcp-tools.tools.dap.config")
local output = require("mcp-tools.tools.dap.output")
local sessions = require("mcp-tools.tools.dap.sessions")
local terminal = require("mcp-tools.tools.dap.terminal")
local tracks = require("mcp-tools.tools.dap.tracks")

local M = {}

---@param track mcp_tools.dap.Track
local function state_of(track)
  if track.closed then
    return "ended"
  elseif track.stop then
    return "stopped"
  end
  return (track.launched or track.session.initialized) and "running" or "initializing"
end

local function brief(track)
  return {
    id = track.id,
    name = track.name,
    adapter_type = track.adapter_type,
    parent_id = track.parent_id,
    status = state_of(track),
    reason = track.stop and track.stop.reason,
    ended = track.closed and track.over or nil,
  }
end

--- What an adapter can do: what is true, or lists something.
local function capabilities(session)
  local can = vim.empty_dict()
  for name, value in pairs(session.capabilities or {}) do
    if type(name) == "string" and value ~= vim.NIL and value ~= false then
      can[name] = value
    end
  end
  return can
end

local function status(call, args)
  local dap = sessions.dap(call)
  sessions.open(call)
  local result = {
    sessions = vim.tbl_map(brief, tracks.all()),
    configurations = config.list(dap),
  }
  if not args.session and not sessions.focused(call) then
    result.active, result.message = false, "No active debug session"
    return result
  end
  local track = sessions.find(call, args)
  return vim.tbl_extend("force", result, {
    active = true,
    id = track.id,
    status = state_of(track),
    stopped_thread_id = sessions.known_thread(track),
    stopped_reason = track.stop and track.stop.reason or nil,
    adapter_type = track.adapter_type,
    name = track.name,
    capabilities = capabilities(track.session),
  })
end

--- The session whose output is meant: an ended one may be.
---@return mcp_tools.dap.Track?
local function find_any(call, args)
  local focused = sessions.focused(call)
  local all = tracks.all()
  if args.session then
    for _, track in ipairs(all) do
      if track.id == args.session then
        return track
      end
    end
    call:fail(("There is no debug session %s, or it ended too long ago"):format(tostring(args.session)))
  end
  return focused or all[#all]
end

local function texts(track, args, limit)
  if args.category == "terminal" then
    return terminal.lines(track, tracks.all(), limit)
  end
  return vim.tbl_map(function(line)
    if not args.include_metadata then
      return line.text
    end
    return ("%s[%s] %s"):format(os.date("[%H:%M:%S]", line.time), line.category, line.text)
  end, output.lines(track.output, args.category, limit))
end

local function program_output(call, args)
  local category = args.category
  if category ~= "all" and category ~= "terminal" and not vim.list_contains(output.categories, category) then
    call:fail("Invalid category: " .. category)
  end
  local track = find_any(call, args)
  local limit = math.max(1, math.min(math.floor(args.lines), output.max_lines))
  local lines = track and texts(track, args, limit) or {}
  if category == "all" and track and #lines == 0 then
    lines = terminal.lines(track, tracks.all(), limit)
  end
  local result = {
    category = category,
    line_count = #lines,
    lines = lines,
    session = track and track.id,
    ended = track and track.over,
  }
  if not track or track.output.n == 0 and #lines == 0 then
    result.message = "No output captured for current session"
  end
  return result
end

local reading = { readOnlyHint = true, openWorldHint = false }

---@type mcp_tools.dap.Tool[]
M.tools = {
  {
    name = "dap_status",
    description = "Tell what is debugged: the focused session, all sessions with their ids, those that ended last,"
      .. " and the configurations that dap_run can start by name",
    args = { session = sessions.arg },
    annotations = reading,
    run = status,
  },
  {
    name = "dap_program_output",
    description = "Get the newest lines that the program printed, also after it ended",
    args = {
      session = { type = "number", description = "Id of a debug session, ended or not (default: the focused or last)" },
      category = {
        type = "string",
        description = "all, stdout, stderr, console, or terminal if the program has one",
        default = "all",
      },
      lines = {
        type = "number",
        description = ("How many, no more than %d"):format(output.max_lines),
        default = 50,
        min = 1,
      },
      include_metadata = { type = "boolean", description = "Begin each with its time and category", default = false },
    },
    output_schema = {
      type = "object",
      properties = {
        category = { type = "string" },
        line_count = { type = "integer" },
        lines = { type = "array", items = { type = "string" } },
        session = { type = "integer" },
        ended = { type = "string" },
        message = { type = "string" },
      },
      required = { "category", "line_count", "lines" },
    },
    annotations = reading,
    run = program_output,
  },
}

return M
