--- The program claude, and what its environment does to its connections.

local run = require("claudecode.health.run")

local health = vim.health
local M = {}

--- How long it may take to tell its version. Milliseconds.
M.timeout_ms = 2000

--- The program that the options name: their first word that is no assignment.
---@param config claudecode.Config
---@return string
function M.command(config)
  local words = require("claudecode.terminal.command").parse(config.terminal_cmd or "")
  return vim.iter(words):find(function(word)
    return word ~= "env" and not word:find("^[%a_][%w_]*=")
  end) or "claude"
end

---@param command string
---@return claudecode.Inquiry
function M.inquiry(command)
  return run.program({ command, "--version" }, M.timeout_ms)
end

---@param facts claudecode.Facts
local function check_program(facts)
  local command = facts.claude_command
  if vim.fn.executable(command) == 0 then
    return health.warn(
      ("the program that runs Claude is not found: %s"):format(command),
      "Install Claude Code, or set terminal_cmd; a Claude in another terminal connects too"
    )
  end
  health.ok("Claude: " .. vim.fn.exepath(command))
  local version, problem = run.line(facts.claude, M.timeout_ms)
  if version then
    health.info(version)
  else
    health.warn("it does not tell its version: " .. problem, ("Run `%s --version` in a shell"):format(command))
  end
end

--- The value of a variable, whose name may be written in capitals too.
local function either(name)
  for _, spelling in ipairs({ name, name:upper() }) do
    local value = vim.trim(vim.env[spelling] or "")
    if value ~= "" then
      return value, spelling
    end
  end
end

--- Whether the proxies are told to leave connections to this machine alone.
local function spares_loopback()
  local entries = vim.split(either("no_proxy") or "", "[%s,]+")
  return vim.iter(entries):any(function(entry)
    return vim.list_contains({ "*", "localhost", "127.0.0.1", "127.0.0.0/8" }, entry)
  end)
end

local function check_proxies()
  local set = {}
  for _, name in ipairs({ "http_proxy", "https_proxy", "all_proxy" }) do
    -- Only the name: the value may have a password.
    table.insert(set, (select(2, either(name))))
  end
  if #set == 0 then
    health.ok("no proxy is set")
  elseif spares_loopback() then
    health.ok(("%s: set, and no_proxy spares this machine"):format(table.concat(set, ", ")))
  else
    health.warn(
      ("%s: set, and no_proxy does not name localhost"):format(table.concat(set, ", ")),
      "Set no_proxy=localhost,127.0.0.1, or clients may ask the proxy for this editor"
    )
  end
end

---@param facts claudecode.Facts
function M.check(facts)
  health.start("claudecode: Claude")
  check_program(facts)
  check_proxies()
end

return M
