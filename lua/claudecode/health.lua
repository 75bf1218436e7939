--- :checkhealth claudecode

local M = {}

local health = vim.health

local function check_editor()
  health.start("claudecode: editor")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim >= 0.10.0 is required")
  end
  local claudecode = require("claudecode")
  if claudecode.state.initialized then
    health.ok("setup() was called, plugin version " .. claudecode.version:string())
  else
    health.warn("setup() was not called: the defaults apply", 'require("claudecode").setup()')
  end
  if (vim.env.CLAUDE_CODE_SSE_PORT or "") ~= "" then
    health.info("CLAUDE_CODE_SSE_PORT is set: this editor belongs to a Claude session, and does not start by itself")
  end
end

local function check_binary()
  health.start("claudecode: daemon program")
  local binary = require("claudecode.binary")
  local argv, err = binary.find(require("claudecode").state.config.daemon.cmd)
  if not argv then
    return health.error(err)
  end
  health.ok("found: " .. table.concat(argv, " "))
  local version, problem = binary.version(argv)
  if not version then
    return health.error("it does not tell its version: " .. problem)
  end
  health.info(version)
  local wrong = binary.mismatch(tonumber(version:match("protocol (%d+)")))
  if wrong then
    health.error(wrong)
  end
end

local function check_server()
  health.start("claudecode: server")
  local status = require("claudecode.server").get_status()
  local daemon = require("claudecode.daemon").current()
  if status.restarting then
    return health.warn(("the daemon died and is being started again on port %d"):format(status.port), ":ClaudeCodeLog")
  elseif not status.running or not daemon then
    return health.warn("the server is not running", ":ClaudeCodeStart")
  end
  local ready = daemon.ready ---@cast ready claudecode.Ready
  health.ok(("running on port %d, daemon pid %d, version %s"):format(status.port, ready.pid, ready.version))
  if (ready.lock_file or "") == "" then
    health.info("no lock file was asked for")
  elseif vim.uv.fs_stat(ready.lock_file) then
    health.ok("lock file: " .. ready.lock_file)
  else
    health.error("the lock file is missing: " .. ready.lock_file)
  end
  if status.client_count == 0 then
    health.info("no Claude is connected")
  end
  for _, client in ipairs(status.clients) do
    local seconds = math.floor((vim.uv.now() - client.connected_at) / 1000)
    health.ok(("%s: connected for %d s"):format(client.id, seconds))
  end
end

local function check_messages()
  local lines = require("claudecode.log").recent()
  if #lines > 0 then
    health.start("claudecode: last messages")
    for _, line in ipairs(lines) do
      health.info(line)
    end
  end
end

function M.check()
  check_editor()
  check_binary()
  check_server()
  check_messages()
end

return M
