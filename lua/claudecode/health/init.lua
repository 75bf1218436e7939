--- :checkhealth claudecode: the chain from this editor to Claude, link by link: what was found, and
--- what to do.

local M = {}

---What is known before anything is said.
---@class (exact) claudecode.Facts
---@field status { running: boolean, restarting: true?, port: integer?, clients: claudecode.Client[]? }
---@field ready? claudecode.Ready Of a daemon that runs
---@field argv? string[] The program
---@field no_argv? string Why there is none
---@field program? table What `claudecoded version` came to
---@field claude_command string
---@field claude? table What `claude --version` came to
---@field report? claudecode.Report
---@field handshake? claudecode.Handshake

--- One after the other, as Claude's connection depends on them.
local links = { "editor", "program", "server", "lock", "claude", "clients" }

local function link(name)
  return require("claudecode.health." .. name)
end

--- Asks all at once. Nothing waits longer than 2 s, whatever state the others are in.
---@return claudecode.Facts
local function gather()
  local config = require("claudecode").state.config
  local status = require("claudecode.server").get_status()
  local daemon = require("claudecode.daemon").current()
  local ready = status.running and not status.restarting and daemon and daemon.ready or nil
  local argv, no_argv = require("claudecode.binary").find(config.daemon.cmd)
  local command = link("claude").command(config)
  local answers = link("run").all({
    program = argv and link("program").inquiry(argv),
    claude = vim.fn.executable(command) == 1 and link("claude").inquiry(command) or nil,
    report = ready and link("server").inquiry(),
    handshake = ready and link("handshake").inquiry(ready.port, ready.token),
  })
  return vim.tbl_extend("error", answers, {
    status = status,
    ready = ready,
    argv = argv,
    no_argv = no_argv,
    claude_command = command,
  })
end

local function check_messages()
  local lines = require("claudecode.log").recent()
  if #lines > 0 then
    vim.health.start("claudecode: last messages")
    for _, line in ipairs(lines) do
      vim.health.info(line)
    end
  end
end

function M.check()
  local facts = gather()
  for _, name in ipairs(links) do
    link(name).check(facts)
  end
  check_messages()
end

return M
