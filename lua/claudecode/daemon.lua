--- The one daemon of this Neovim: its process, its channel, and what is said over it.
---
--- Normally the plugin launches it (`claudecoded embed`, RPC on its stdin and stdout). A daemon
--- may also attach to this Neovim by itself; the channel is then all there is of it here.

local binary = require("claudecode.binary")
local lockfile = require("claudecode.lockfile")
local paths = require("claudecode.paths")
local tail = require("claudecode.tail")
local uncompiled = require("claudecode.uncompiled")

local M = {}

--- How long stop() waits for the process before it sends SIGTERM. Internal, no option: only tests
--- set another.
M.exit_wait_ms = 2000

--- Lines of stderr that the message about an unexpected end quotes.
local quoted_lines = 3

local current ---@type claudecode.Daemon?
local last_words ---@type claudecode.Tail? of the last daemon that was launched, dead or alive

--- The daemon in charge. One that attached leaves without a word, so its channel is asked.
---@return claudecode.Daemon?
function M.current()
  if current and not current.path and vim.api.nvim_get_chan_info(current.channel).id == nil then
    M.forget(current)
  end
  return current
end

--- Sends a notification.
---@param method string
---@param message? table
---@return boolean sent
function M.notify(method, message)
  local daemon = M.current()
  return daemon ~= nil and (pcall(vim.rpcnotify, daemon.channel, method, message or vim.empty_dict()))
end

function M.push_catalogue()
  -- First what may run, then what there is to run.
  M.notify("policy", require("mcp-tools.permissions").message())
  M.notify("catalogue", { tools = require("mcp-tools.registry").catalogue() })
end

--- What is kept of the files that clients change.
local function review_message()
  local review = require("claudecode").state.config.review
  return { git = review.git, secret = require("claudecode.selection.filter").secret }
end

--- Who this editor is.
local function identity()
  return {
    protocol = binary.protocol,
    pid = vim.fn.getpid(),
    workspace_folders = lockfile.get_workspace_folders(),
    ide_name = "Neovim",
  }
end

---@param config claudecode.Config
---@param token? string
local function start_message(config, token)
  local for_claude = not require("claudecode.server").state.only_tools
  return vim.tbl_extend("error", identity(), {
    version = require("claudecode").version:string(),
    port_min = config.port_range.min,
    port_max = config.port_range.max,
    token = token or not for_claude and lockfile.generate_auth_token() or nil,
    lock = for_claude,
    lock_dir = lockfile.lock_dir,
    ping_interval_ms = config.daemon.ping_interval_ms,
    max_clients = config.daemon.max_clients,
    allowed_hosts = config.daemon.allowed_hosts,
    clients_created = _G.claudecode_clients_created or 0,
    log_level = config.log_level,
    log_file = config.daemon.log_file and paths.absolute(paths.expand_home(config.daemon.log_file)),
  })
end

--- The daemon is gone, or has no further use.
---@param daemon claudecode.Daemon
---@param why? string Absent if it was meant to go
---@param reason? string What can be done about a start that failed, see PROTOCOL.md
function M.forget(daemon, why, reason)
  if current ~= daemon then
    return
  end
  current = nil
  lockfile.unwatch()
  local rpc = package.loaded["claudecode.rpc"]
  if rpc then
    rpc.cancel_all()
  end
  if daemon.ready then
    daemon.on_gone(why)
  else
    daemon.on_settled(why or "claudecoded was stopped", nil, reason)
  end
end

local function on_exit(daemon, code)
  local said = tail.text(daemon.stderr, quoted_lines)
  local ended = ("claudecoded ended with exit code %d%s"):format(code, said ~= "" and ": " .. said or "")
  M.forget(daemon, not daemon.stopping and ended or nil)
end

--- Makes a daemon the one in charge.
local function adopt(daemon)
  current = daemon
  require("claudecode.tools.builtin").setup()
  require("mcp-tools.registry").on_change = M.push_catalogue
  lockfile.watch(function(folders)
    M.notify("workspace_folders", { folders = folders })
  end)
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = vim.api.nvim_create_augroup("ClaudeCodeShutdown", { clear = true }),
    desc = "Ends the Claude Code server",
    callback = function()
      require("claudecode.server").reject_diffs()
      -- Only told: Neovim waits for its jobs by itself, and must not wait for us before that.
      daemon.stopping = true
      M.notify("stop")
    end,
  })
end

local function launch(config, token, on_settled, on_gone)
  local argv, err = binary.find(config.daemon.cmd)
  if not argv then
    return on_settled(err)
  end
  local daemon = { ---@type claudecode.Daemon
    channel = 0,
    path = argv[1],
    stderr = tail.new(),
    stopping = false,
    on_settled = on_settled,
    on_gone = on_gone,
  }
  local ok, channel = pcall(vim.fn.jobstart, vim.list_extend(argv, { "embed" }), {
    rpc = true,
    on_stderr = function(_, pieces)
      tail.add(daemon.stderr, pieces)
    end,
    on_exit = function(_, code)
      on_exit(daemon, code)
    end,
  })
  if not ok or channel <= 0 then
    return on_settled(("claudecoded did not start: %s: %s"):format(daemon.path, ok and "not executable" or channel))
  end
  daemon.channel = channel
  last_words = daemon.stderr
  adopt(daemon)
  M.push_catalogue()
  M.notify("review", review_message())
  M.notify("start", start_message(config, token))
end

--- Launches the daemon and tells it to listen.
---@param config claudecode.Config
---@param token? string
---@param on_settled claudecode.OnSettled
---@param on_gone claudecode.OnGone
function M.launch(config, token, on_settled, on_gone)
  uncompiled(launch, config, token, on_settled, on_gone)
end

--- A daemon attached to this Neovim by itself and asks for what launch() would send it.
---@param channel integer
---@param protocol integer
---@param on_settled claudecode.OnSettled
---@param on_gone claudecode.OnGone
---@return { policy: table, review: table, tools: table[], start: table }
function M.attach(channel, protocol, on_settled, on_gone)
  local wrong = binary.mismatch(protocol)
  if wrong then
    error(wrong, 0)
  end
  local other = M.current()
  if other then
    error(("this Neovim already has a claudecoded, on port %s"):format(other.ready and other.ready.port or "?"), 0)
  end
  adopt({
    channel = channel,
    stderr = tail.new(),
    stopping = false,
    on_settled = on_settled,
    on_gone = on_gone,
  })
  return {
    review = review_message(),
    policy = require("mcp-tools.permissions").message(),
    tools = require("mcp-tools.registry").catalogue(),
    start = identity(),
  }
end

local function give_up(daemon, why, reason)
  daemon.stopping = true
  if daemon.path then
    vim.fn.jobstop(daemon.channel)
  end
  M.forget(daemon, why, reason)
end

---@param ready claudecode.Ready
function M.on_ready(ready)
  local daemon = M.current()
  if not daemon then
    return
  end
  local wrong = binary.mismatch(ready.protocol)
  if wrong then
    return give_up(daemon, wrong)
  end
  daemon.ready = ready
  daemon.on_settled(nil, ready)
end

--- The lock file was written or removed, see `lock` in PROTOCOL.md.
---@param lock { lock_file: string, message: string }
function M.on_locked(lock)
  local daemon = M.current()
  if daemon and daemon.ready then
    daemon.ready.lock_file = lock.lock_file
  end
  if lock.message ~= "" then
    require("claudecode.log").error("daemon", lock.message)
  end
end

---@param failure { message: string, protocol?: integer, reason?: string }
function M.on_failed(failure)
  local daemon = M.current()
  if daemon then
    give_up(daemon, binary.mismatch(failure.protocol) or failure.message, failure.reason)
  end
end

--- The last lines that a launched daemon wrote to stderr, oldest first.
---@return string[]
function M.stderr()
  return last_words and vim.list_slice(last_words.lines) or {}
end

--- Ends the daemon and waits for its end.
---@return boolean stopped false if there was none
function M.stop()
  local daemon = M.current()
  if not daemon then
    return false
  end
  daemon.stopping = true
  M.notify("stop")
  local ended = function()
    return M.current() ~= daemon
  end
  if not vim.wait(M.exit_wait_ms, ended, 5) then
    give_up(daemon)
  end
  return true
end

return M
