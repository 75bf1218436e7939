--- Claude Code inside Neovim: the plugin's entry point.

local uncompiled = require("claudecode.uncompiled")

local config = uncompiled(require, "claudecode.config")
local log = require("claudecode.log")

local M = {}

---@type claudecode.Version
M.version = {
  major = 0,
  minor = 1,
  patch = 0,
  prerelease = nil,
  string = function(self)
    local text = ("%d.%d.%d"):format(self.major, self.minor, self.patch)
    return self.prerelease and text .. "-" .. self.prerelease or text
  end,
}

local function server()
  return require("claudecode.server")
end

-- These are those of the modules they belong to, never a copy that can be wrong. The defaults are
-- those of a plugin that was not set up.
local served = {
  config = function()
    M.state.config = config.make_defaults()
    return M.state.config
  end,
  server = function()
    return server().state.port and server()
  end,
  port = function()
    return server().state.port
  end,
  auth_token = function()
    return server().state.auth_token
  end,
  mention_queue = function()
    return require("claudecode.mention.queue").list()
  end,
}

---@type claudecode.State
M.state = setmetatable({ initialized = false }, {
  __index = function(_, key)
    return served[key] and served[key]()
  end,
})

local function launch()
  if server().state.server then
    return server().serve_claude(true)
  end
  server().launch(M.state.config, nil, function(err)
    if err then
      log.error("init", err)
    end
  end)
end

--- Starts the server without waiting for it, once there is somebody to serve.
---@param group integer
---@param restarted boolean Whether it served before `:restart`
local function auto_start(group, restarted)
  if (vim.env.CLAUDE_CODE_SSE_PORT or "") ~= "" and not restarted then
    -- This editor was opened by a Claude session of another one. A second server that matches
    -- its folder would make clients connect to neither.
    return log.debug("init", "Not started automatically: CLAUDE_CODE_SSE_PORT is set")
  end
  if #vim.api.nvim_list_uis() > 0 then
    return launch()
  end
  vim.api.nvim_create_autocmd("UIEnter", {
    group = group,
    once = true,
    desc = "Starts the Claude Code server",
    callback = vim.schedule_wrap(launch),
  })
end

local function set_up(options)
  M.state.config = config.apply(options)
  log.setup(M.state.config)
  M.state.initialized = true
  require("claudecode.terminal.prepare")(M.state.config)
  local group = vim.api.nvim_create_augroup("ClaudeCodeAutoStart", { clear = true })
  local restarted = require("claudecode.handover").pending()
  if M.state.config.auto_start or restarted then
    auto_start(group, restarted)
  end
end

--- Sets the options, and starts the server unless `auto_start` is false.
---@param options? table
function M.setup(options)
  uncompiled(set_up, options)
  return M
end

--- Starts the server and waits at most 2 s for its port. One that mcp-tools started is shared.
---@param show_notification? boolean Default true
---@return boolean ok
---@return integer|string port_or_error
function M.start(show_notification)
  local ok, result = true, M.state.port
  if result and not server().state.only_tools then
    log.warn("init", "Claude Code integration is already running on port " .. result)
    return false, "Already running"
  elseif result then
    server().serve_claude(true)
  else
    ok, result = server().start(M.state.config)
  end
  if not ok then
    log.error("init", result)
  elseif show_notification ~= false then
    log.info("init", "Claude Code integration started on port " .. result)
  end
  return ok, result
end

--- Stops the server, or only ends to serve Claude Code if mcp-tools goes on with it.
---@return boolean ok
---@return string? err
function M.stop()
  if server().state.only_tools or not server().state.server then
    log.warn("init", "Claude Code integration is not running")
    return false, "Not running"
  elseif require("mcp-tools.bridge").in_use() then
    server().serve_claude(false)
  else
    server().stop()
  end
  log.info("init", "Claude Code integration stopped")
  return true
end

--- Prints whether the server runs, and which calls wait for the user.
function M.status()
  local waiting = require("claudecode.moment").summary()
  log.info("init", require("claudecode.status").headline() .. (waiting and "; " .. waiting or ""))
end

--- What Claude is doing, in a word or two for the status line: "" while no server runs.
---@return string
function M.statusline()
  local activity = package.loaded["claudecode.activity"]
  if not activity then
    local loaded = package.loaded["claudecode.server"]
    if not loaded or not loaded.state.server then
      return ""
    end
    activity = require("claudecode.activity")
  end
  activity.shown = true
  return activity.text
end

--- Opens the daemon's log file if there is one, else a buffer with the last messages.
function M.open_log()
  require("claudecode.log_view").open(M.state.config.daemon.log_file)
end

--- Puts a file or folder, with lines or without, into Claude's prompt. It waits for a Claude if
--- none is connected.
---@param path string
---@param start_line? integer From 0
---@param end_line? integer From 0, included
---@param context? string Who asks, for the event `ClaudeCodeSendComplete`
---@return boolean ok
---@return string? err
function M.send_at_mention(path, start_line, end_line, context)
  return require("claudecode.mention").send(path, start_line, end_line, context)
end

--- Lets the user choose a model, and opens Claude with it.
---@param args? string More arguments for Claude
function M.open_with_model(args)
  require("claudecode.terminal.models").pick(args)
end

--- Sends the mentions that wait, if a Claude can take them now.
function M.process_mention_queue()
  require("claudecode.mention.queue").process()
end

--- The arguments and the environment for a Claude that is to have the tools of this editor, for one
--- that you start yourself. The terminal uses them unless `mcp.enabled` is false.
---@param options? { file?: boolean } file: for a command that a shell reads, no word needs quotes
---@return string[]? args nil while the server does not listen
---@return table<string, string>|string env_or_reason
function M.mcp_args(options)
  if not M.state.port then
    local starts = server().state.server
    return nil, starts and "the server is still starting" or "no server runs: :ClaudeCodeStart starts it"
  end
  return require("claudecode.mcp_args").make(M.state.config, M.state.port, options)
end

--- Whether a Claude finished its handshake with this editor's server.
---@return boolean
function M.is_claude_connected()
  return M.state.port ~= nil and server().get_status().client_count > 0
end

---@return { version: string, major: integer, minor: integer, patch: integer, prerelease: string? }
function M.get_version()
  local v = M.version
  return { version = v:string(), major = v.major, minor = v.minor, patch = v.patch, prerelease = v.prerelease }
end

return M
