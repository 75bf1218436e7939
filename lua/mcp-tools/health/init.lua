--- What :checkhealth mcp-tools says: the way from a client to a tool and back, what is switched on, and
--- who is there. The daemon itself and Claude are the matter of :checkhealth claudecode.

local run = require("claudecode.health.run")
local trip = require("mcp-tools.health.trip")
local words = require("claudecode.words")

local health = vim.health
local M = {}

---@class (exact) mcp_tools.Facts
---@field port? integer
---@field token? string
---@field held? string The rule that keeps the round trip from being made
---@field report? claudecode.Report
---@field trip? mcp_tools.Trip

---@return mcp_tools.Facts
local function gather()
  local bridge = require("mcp-tools.bridge")
  local facts = { port = bridge.get_port(), token = bridge.get_auth_token(), held = trip.held_by() }
  if facts.port and facts.token then
    local answers = run.all({
      report = require("claudecode.health.server").inquiry(),
      trip = not facts.held and trip.inquiry(facts.port, facts.token) or nil,
    })
    trip.clear()
    facts.report, facts.trip = answers.report, answers.trip
  end
  return facts
end

--- Folders of other plugins that have the module.
---@return string[]
local function others()
  local ours = vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2):match("^(.*)/lua/mcp%-tools/"))
  local found = {}
  for _, file in ipairs(vim.api.nvim_get_runtime_file("lua/mcp-tools/init.lua", true)) do
    local folder = vim.uv.fs_realpath(file:match("^(.*)[/\\]lua[/\\]")) or file
    if folder ~= ours and not vim.list_contains(found, folder) then
      table.insert(found, folder)
    end
  end
  return found
end

local function check_plugin()
  health.start("mcp-tools: plugin")
  for _, folder in ipairs(others()) do
    health.warn("another mcp-tools is on the runtimepath: " .. folder, "Remove it: only one of the two can be loaded")
  end
  if #others() == 0 then
    health.ok("no other mcp-tools is on the runtimepath")
  end
end

---@param facts mcp_tools.Facts
local function check_server(facts)
  health.start("mcp-tools: server")
  if not facts.port then
    return health.warn("the server is not running", { ":ClaudeCodeStart", 'or require("mcp-tools").start()' })
  elseif not facts.report then
    return health.error(
      ("port %d: the daemon has not answered"):format(facts.port),
      ":checkhealth claudecode says more of it"
    )
  end
  health.ok(("http://127.0.0.1:%d/mcp, daemon pid %d"):format(facts.port, facts.report.pid))
  local made = facts.trip
  if facts.held then
    health.info(
      ("no tool was called to try the way: %s is about every tool, and nobody is asked here"):format(facts.held)
    )
  elseif made and made.ok then
    health.ok("a tool was called over HTTP, and its answer came back")
  elseif made then
    health.error("a tool was called over HTTP: " .. made.problem, ":ClaudeCodeLog")
  else
    local text = "a tool was called over HTTP, and has not answered within %.1f s"
    health.error(text:format(trip.timeout_ms / 1000), "The editor or the daemon is busy: :ClaudeCodeActivity")
  end
end

--- Tools that are registered, and that no client is offered.
---@param facts mcp_tools.Facts
---@return table<string, string> reasons by name
local function check_left_out(facts)
  local reasons = facts.report and facts.report.left_out or {}
  for name, reason in vim.spairs(reasons) do
    health.warn(("%q is left out, no client is offered it: %s"):format(name, reason), ":help mcp-tools.register()")
  end
  return reasons
end

---@param facts mcp_tools.Facts
local function check_tools(facts)
  health.start("mcp-tools: tools")
  local registry = require("mcp-tools.registry")
  local reasons, left = check_left_out(facts), {}
  for _, name in ipairs(registry.names()) do
    left[name] = not reasons[name] or nil
  end
  for _, category in ipairs(require("mcp-tools.categories").names) do
    local lacking = require("mcp-tools.categories").lacks(category)
    if lacking then
      health.info(("%s: off, %s"):format(category, lacking))
    end
    local ok, tools = pcall(require, "mcp-tools.tools." .. category)
    tools = ok and type(tools) == "function" and tools() or tools
    local on, off = {}, 0
    for _, tool in ipairs(ok and type(tools) == "table" and tools or {}) do
      if left[tool.name] then
        left[tool.name] = nil
        table.insert(on, tool.name)
      else
        off = off + 1
      end
    end
    if #on > 0 then
      local rest = off > 0 and (", and %d that are off"):format(off) or ""
      health.ok(("%s: %s%s"):format(category, table.concat(on, ", "), rest))
    elseif off > 0 and not lacking then
      health.info(("%s: off (%s)"):format(category, words.count(off, "tool")))
    end
  end
  local own = vim.tbl_filter(function(name)
    return not registry.get(name).ide
  end, vim.tbl_keys(left))
  table.sort(own)
  if #own > 0 then
    health.ok("your own: " .. table.concat(own, ", "))
  end
  if registry.count() == 0 then
    health.warn("no tool is registered", ":help mcp-tools-categories")
  end
end

local function check_permissions()
  health.start("mcp-tools: permissions")
  local permissions, unmatched = require("mcp-tools.permissions"), require("mcp-tools.permissions.unmatched")
  local rules, good = permissions.rules(), 0
  local idle = unmatched.of(rules)
  for _, rule in ipairs(rules) do
    if rule.invalid then
      health.error(permissions.wrong(rule), "Correct it in the option permissions: :help mcp-tools-permissions")
    elseif vim.list_contains(idle, rule) then
      health.warn(unmatched.said(rule), "Names are those that clients see: :help mcp-tools-permissions")
    else
      good = good + 1
    end
  end
  if #rules == 0 then
    health.info("there are no rules: tools are allowed unless they ask by themselves")
  elseif good > 0 then
    health.ok(("%s: :ClaudeCodePermissions shows them"):format(words.count(good, "rule")))
  end
end

---@param facts mcp_tools.Facts
local function check_clients(facts)
  if not facts.report then
    return
  end
  health.start("mcp-tools: clients")
  for _, guest in ipairs(facts.report.guests or {}) do
    local who = guest.name == "" and guest.id or ("%s (%s)"):format(words.plain(guest.name), guest.id)
    health.ok(("%s, MCP %s, for %s"):format(who, guest.revision, words.span(guest.age_ms)))
  end
  if #(facts.report.guests or {}) == 0 then
    health.info("no client of HTTP has a session")
  end
end

--- Other programs that can be handed the tools: the option, what it needs, and how that is looked for.
local partners = {
  {
    option = "opencode",
    needs = { ["opencode.nvim"] = "lua/opencode/state.lua" },
    programs = { "curl" },
  },
  { option = "ampcode", needs = {}, programs = { "amp" } },
}

local function missing(partner)
  local lacks = vim.tbl_filter(function(program)
    return vim.fn.executable(program) == 0
  end, partner.programs)
  for name, file in pairs(partner.needs) do
    if
      #vim.api.nvim_get_runtime_file(file, false) == 0
      and #vim.api.nvim_get_runtime_file(file:gsub("%.lua$", "/init.lua"), false) == 0
    then
      table.insert(lacks, name)
    end
  end
  return lacks
end

local function check_integrations()
  health.start("mcp-tools: integrations")
  for _, partner in ipairs(partners) do
    local lacks = missing(partner)
    if not require("mcp-tools.config").get("integrations." .. partner.option) then
      health.info(partner.option .. ": off")
    elseif #lacks > 0 then
      health.warn(("%s is on, and %s is missing"):format(partner.option, table.concat(lacks, " and ")))
    else
      health.ok(partner.option .. ": on")
    end
  end
end

function M.check()
  local facts = gather()
  check_plugin()
  check_server(facts)
  check_tools(facts)
  check_permissions()
  check_clients(facts)
  check_integrations()
end

return M
