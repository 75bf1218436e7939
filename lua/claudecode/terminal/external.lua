--- Claude in a program of the user's: another terminal, or a pane of a multiplexer.

local command = require("claudecode.terminal.command")
local tail = require("claudecode.tail")

---@class claudecode.TerminalProvider
local M = {}

---@class claudecode.ExternalJob
---@field id? integer
---@field stopped? boolean By the user

local running ---@type claudecode.ExternalJob?

local function template()
  return require("claudecode").state.config.terminal.provider_opts.external_terminal_cmd
end

local function report(message)
  require("claudecode.log").error("terminal", message)
end

function M.setup() end

function M.is_available()
  local value = template()
  return type(value) == "function" or (type(value) == "string" and value:find("%s", 1, true) ~= nil)
end

function M.get_active_bufnr() end

function M.is_running()
  return running ~= nil
end

--- Puts the command, as the words it has, where a word is `%s`, and its text within another word;
--- of two places the first is the folder's.
---@param text string
---@param cmd string
---@param cwd string
---@return string[]? argv
---@return string? problem
local function fill(text, cmd, cwd)
  local places = select(2, text:gsub("%%s", ""))
  if text == "" then
    return nil, "external_terminal_cmd is empty"
  elseif places == 0 then
    return nil, "external_terminal_cmd lacks %s, the place of Claude's command"
  elseif places > 2 then
    return nil, ("external_terminal_cmd has %d times %%s; it takes one, or two for folder and command"):format(places)
  end
  local argv, filled = {}, 0
  for _, word in ipairs(command.parse(text)) do
    if word == "%s" and filled == places - 1 then
      filled = filled + 1
      vim.list_extend(argv, command.parse(cmd))
    else
      word = word:gsub("%%s", function()
        filled = filled + 1
        return filled < places and cwd or cmd
      end)
      table.insert(argv, word)
    end
  end
  return argv
end

--- What to run.
---@param value any external_terminal_cmd
---@return string[]? argv
---@return string? problem
local function resolve(value, cmd, env, cwd)
  if value == nil then
    return nil, "terminal.provider_opts.external_terminal_cmd is not set"
  elseif type(value) == "string" then
    return fill(value, cmd, cwd)
  elseif type(value) ~= "function" then
    return nil, "external_terminal_cmd must be a string or a function, not a " .. type(value)
  end
  local ok, result = pcall(value, cmd, env)
  if not ok then
    return nil, "external_terminal_cmd failed: " .. tostring(result)
  elseif not result then
    return nil, "external_terminal_cmd returned " .. tostring(result)
  elseif type(result) == "string" and vim.trim(result) ~= "" then
    return command.parse(result)
  elseif type(result) == "table" and vim.islist(result) and #result > 0 then
    return result
  end
  return nil, "external_terminal_cmd must return a command or a list of its words, not " .. vim.inspect(result)
end

--- Starts it, unless it runs. It outlives the editor.
function M.open(cmd, env, config)
  if running then
    return require("claudecode.log").debug("terminal", "The external terminal runs already")
  end
  local cwd = config.cwd or vim.fn.getcwd()
  local argv, problem = resolve(template(), cmd, env, cwd)
  if not argv then
    return report(problem)
  end
  local job, stderr = {}, tail.new() ---@type claudecode.ExternalJob, claudecode.Tail
  local ok, id = pcall(vim.fn.jobstart, argv, {
    detach = true,
    env = env,
    cwd = cwd,
    on_stderr = function(_, pieces)
      tail.add(stderr, pieces)
    end,
    on_exit = function(_, code)
      if running == job then
        running = nil
      end
      if code ~= 0 and not job.stopped then
        local words = tail.text(stderr, 1)
        report(("The external terminal exited with code %d%s"):format(code, words == "" and "" or ": " .. words))
      end
    end,
  })
  if not ok or id <= 0 then
    return report("Failed to start external terminal with command: " .. table.concat(argv, " "))
  end
  job.id, running = id, job
end

function M.close()
  local job = running
  running = nil
  if job then
    job.stopped = true
    pcall(vim.fn.jobstop, job.id)
  end
end

function M.simple_toggle(cmd, env, config)
  if running then
    M.close()
  else
    M.open(cmd, env, config)
  end
end

M.focus_toggle = M.simple_toggle

function M.ensure_visible() end

return M
