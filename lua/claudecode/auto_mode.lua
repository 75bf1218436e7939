--- Notices that Claude writes files without showing them, as it does in auto mode, and says so
--- once.
---
--- Right before each write Claude asks for the diagnostics of the file. If the file then is
--- another, by nobody in this editor and without an openDiff, it was written without being shown.
--- The question alone proves nothing: Claude's model asks it too.

local M = {}

local uv = vim.uv

--- How long after the question the file is looked at. Milliseconds.
M.look_after_ms = 2000

--- Files that are remembered, of each kind.
M.max_files = 64

local message = "Claude writes files without asking. For diffs: "
  .. "`claude --permission-mode default`, or shift+tab in Claude"

---@class (exact) claudecode.Baseline
---@field path string
---@field stamp? string What was known of the file, nil if there was none
---@field at number Unix time in milliseconds

local baselines = {} ---@type claudecode.Baseline[] oldest first
local shown = {} ---@type string[] files whose openDiff came, and not yet the question
local asked, unseen, told = 0, 0, false

local group ---@type integer?

local function real(path)
  return uv.fs_realpath(path) or path
end

--- What tells a file from what it was, and when it was modified.
---@return string? stamp
---@return number modified_ms
local function look(path)
  local stat = uv.fs_stat(path)
  if not stat then
    return nil, 0
  end
  local mtime = stat.mtime
  return ("%d %d.%09d %d"):format(stat.ino, mtime.sec, mtime.nsec, stat.size), mtime.sec * 1000 + mtime.nsec / 1e6
end

local function unix_ms()
  local seconds, microseconds = uv.gettimeofday()
  return seconds * 1000 + microseconds / 1000
end

--- The list without some of its items.
local function without(list, unwanted)
  return vim.tbl_filter(function(item)
    return not unwanted(item)
  end, list)
end

---@param path string
local function forget(path)
  baselines = without(baselines, function(baseline)
    return baseline.path == path
  end)
  if #baselines == 0 and group then
    vim.api.nvim_clear_autocmds({ group = group })
  end
end

--- The user writes files too, and while they wait for Claude's write.
local function watch_user()
  group = vim.api.nvim_create_augroup("ClaudeCodeAutoMode", { clear = true })
  vim.api.nvim_create_autocmd({ "BufWritePost", "FileWritePost", "FileAppendPost" }, {
    group = group,
    desc = "Tells your writes from Claude's",
    callback = function(event)
      forget(real(event.match))
    end,
  })
end

---@param baseline claudecode.Baseline
local function was_written(baseline)
  local stamp, modified = look(baseline.path)
  -- The clock of a file system ticks every few milliseconds.
  local since = modified - baseline.at
  return stamp ~= nil and stamp ~= baseline.stamp and since > -100 and since < M.look_after_ms
end

--- What Claude was about to write is written, or was not to be.
---@param baseline claudecode.Baseline
local function conclude(baseline)
  if not vim.list_contains(baselines, baseline) then
    return
  end
  forget(baseline.path)
  if not was_written(baseline) then
    return
  end
  unseen = unseen + 1
  -- Whoever was asked once knows diffs, and chose to go on without.
  if asked == 0 and not told then
    told = true
    require("claudecode.log").warn("diff", message)
  end
end

--- Claude may be about to write a file.
---@param path string
local function note(path)
  vim.iter(vim.list_slice(baselines)):each(function(baseline)
    if baseline.path == path then
      conclude(baseline)
    end
  end)
  if vim.list_contains(shown, path) then
    shown = without(shown, function(other)
      return other == path
    end)
  elseif #baselines < M.max_files then
    if #baselines == 0 then
      watch_user()
    end
    local baseline = { path = path, stamp = look(path), at = unix_ms() }
    table.insert(baselines, baseline)
    vim.defer_fn(function()
      conclude(baseline)
    end, M.look_after_ms)
  end
end

--- A client calls a tool.
---@param tool string
---@param args table
function M.observe(tool, args)
  local paths = require("claudecode.paths")
  if tool == "openDiff" and type(args.new_file_path) == "string" then
    asked = asked + 1
    local path = real(paths.absolute(paths.expand_home(args.new_file_path)))
    if not vim.list_contains(shown, path) then
      table.insert(shown, path)
    end
    if #shown > M.max_files then
      table.remove(shown, 1)
    end
  elseif tool == "getDiagnostics" and type(args.uri) == "string" and args.uri ~= "" then
    note(real(paths.from_uri(args.uri)[1]))
  end
end

--- How many changes Claude asked about, and how many files it wrote without.
---@return integer asked
---@return integer unseen
function M.seen()
  return asked, unseen
end

return M
