--- Tools that start a debug session, or start it again.

local calls = require("mcp-tools.tools.dap.call")
local config = require("mcp-tools.tools.dap.config")
local ending = require("mcp-tools.tools.dap.ending")
local sessions = require("mcp-tools.tools.dap.sessions")
local stops = require("mcp-tools.tools.dap.stops")
local tracks = require("mcp-tools.tools.dap.tracks")
local wait = require("mcp-tools.tools.dap.wait")

local M = {}

--- Arguments that are not keys of the configuration.
local not_keys = { wait_until_paused = true, wait_timeout_ms = true, show = true, config = true }

local function failed(call, why)
  call:fail("Failed to start debug session: " .. why)
end

--- What is wrong with an adapter that nvim-dap only tells the user.
---@return string?
local function problem(dap, type_name)
  local adapter = dap.adapters[type_name]
  if adapter == nil then
    local names = vim.tbl_keys(dap.adapters)
    table.sort(names)
    return ("no adapter is called %q, only: %s"):format(tostring(type_name), table.concat(names, ", "))
  elseif type(adapter) ~= "table" then
    return nil
  end
  local command = adapter.type == "executable" and adapter.command or vim.tbl_get(adapter, "executable", "command")
  if type(command) == "string" and vim.fn.executable(command) == 0 then
    return ("the debug adapter's program %s cannot be run"):format(command)
  end
end

--- What runs that have no session yet look for, and the sessions that others made.
local awaited = {} ---@type table<mcp_tools.dap.Awaited, true>
local made = setmetatable({}, { __mode = "k" }) ---@type table<mcp_tools.dap.Track, true>

---@class (exact) mcp_tools.dap.Awaited
---@field last integer The newest session from before
---@field name string
---@field adapter_type string

--- The session that a run made: a new one of its name or, as the user's nvim-dap may change either, of its
--- type, unless another run waits for that name.
---@param wanted mcp_tools.dap.Awaited
---@return mcp_tools.dap.Track?
local function find_new(wanted)
  local new = vim.tbl_filter(function(track)
    return track.id > wanted.last and not track.parent_id and not made[track]
  end, tracks.all())
  local function is_others(track)
    return vim.iter(awaited):any(function(other)
      return other ~= wanted and other.name == track.name
    end)
  end
  local track = vim.iter(new):find(function(track)
    return track.name == wanted.name
  end) or vim.iter(new):find(function(track)
    return track.adapter_type == wanted.adapter_type and not is_others(track)
  end)
  if track then
    made[track], awaited[wanted] = true, nil
  end
  return track
end

--- Starts a session and waits until its adapter has taken the configuration.
---@param call mcp_tools.WaitingCall
---@param dap table
---@param chosen table
---@param ms integer
---@return mcp_tools.dap.Track
local function start(call, dap, chosen, ms)
  local wrong = problem(dap, chosen.type)
  if wrong then
    failed(call, wrong)
  end
  local track
  local wanted = { last = 0, name = tostring(chosen.name), adapter_type = tostring(chosen.type) }
  for _, known in ipairs(tracks.all()) do
    wanted.last = math.max(wanted.last, known.id)
  end
  local buf = call.ctx.buf
  local filetype = vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].filetype or ""
  local function test()
    track = track or find_new(wanted)
    if not track then
      return nil
    end
    track.driven = true
    if track.launch_error then
      return { err = track.launch_error }
    elseif track.launched or track.stop then
      return { err = nil }
    end
    return track.closed and { err = "the debug adapter ended" } or nil
  end
  pcall(require, "dap.session")
  call:pause(true) -- what is loaded for the first time takes its time
  awaited[wanted] = true
  local forget = call:on_stop(function()
    awaited[wanted] = nil
  end)
  local function begin(finish)
    local ok, err = pcall(dap.run, chosen, { new = true, filetype = filetype })
    if not ok then
      finish({ err = require("claudecode.strict").reason(err) })
    end
  end
  local started = calls.await(call, test, { ms = ms, begin = begin, message = "The debug session starts" })
  awaited[wanted] = nil
  forget()
  if started and started.err then
    failed(call, started.err)
  elseif not started and not track then
    failed(call, ("nvim-dap has none after %d ms, see :messages and :DapShowLog"):format(ms))
  elseif not started then
    failed(call, ("the debug adapter has not answered after %d ms; debug session %d goes on"):format(ms, track.id))
  end
  return track
end

local function run(call, args)
  local dap = sessions.dap(call)
  local given = vim.deepcopy(args.config or {})
  for key, value in pairs(args) do
    if not not_keys[key] then
      given[key] = value
    end
  end
  local chosen = config.resolve(call, dap, given)
  local track = start(call, dap, chosen, calls.limit(call, args.wait_timeout_ms, wait.default_ms))
  local message = ("Started debug session '%s' with adapter '%s'"):format(track.name, track.adapter_type)
  return wait.after(call, track, message, args)
end

local function restart(call, args)
  local dap = sessions.dap(call)
  local track = sessions.root(sessions.find(call, args))
  local can = (track.session.capabilities or {}).supportsRestartRequest
  local chosen = vim.deepcopy(track.session.config)
  if can and can ~= vim.NIL then
    local arguments = { arguments = chosen }
    local undo = stops.resuming(track, arguments)
    local answer = calls.ask(call, track, "restart", arguments, calls.request_ms)
    if answer.err or answer.timeout then
      undo()
      call:fail("Failed to restart: " .. (answer.err or "restart request timed out"))
    end
    track.over = track.closed and track.over or nil -- what ended is the program from before
  else
    ending.finish_family(call, track)
    track = start(call, dap, chosen, calls.limit(call, args.wait_timeout_ms, wait.default_ms))
  end
  return wait.after(call, track, ("Restarted debug session '%s'"):format(track.name), args)
end

local hints = { readOnlyHint = false, destructiveHint = true, openWorldHint = true }

local function text(description, required)
  return { type = "string", description = description, required = required }
end

M.tools = {
  {
    name = "dap_run",
    description = "Start to debug a program. Any other key of a launch configuration is an argument too, and"
      .. " variables such as ${workspaceFolder} and ${file} are replaced."
      .. " With only the name of one of the user's configurations (dap_status lists them) that one is started",
    args = vim.tbl_extend("error", wait.args, {
      name = text("Name of the session, or of a configuration of the user's", true),
      type = text("Name of the debug adapter, as in the user's nvim-dap"),
      request = { type = "string", description = "What the adapter does", enum = { "launch", "attach" } },
      program = text("Path of what is debugged"),
      cwd = text("Working folder of the program"),
      args = { type = "array", items = { type = "string" }, description = "Arguments of the program" },
      env = { type = "object", description = "Environment variables of the program" },
      host = text("Host to attach to"),
      port = { type = "number", description = "Port to attach to" },
      config = { type = "object", description = "More keys of the configuration, where names clash with arguments" },
    }),
    annotations = hints,
    policy = "ask",
    paths = require("mcp-tools.permissions.touches").unknown,
    run = run,
  },
  {
    name = "dap_restart",
    description = "Start the program that is debugged anew, with the same configuration",
    args = wait.with({}),
    annotations = hints,
    run = restart,
  },
}

return M
