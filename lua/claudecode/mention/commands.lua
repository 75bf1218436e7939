--- :ClaudeCodeSend and :ClaudeCodeAdd.

local log = require("claudecode.log")
local mention = require("claudecode.mention")
local paths = require("claudecode.paths")
local shown = require("claudecode.mention.shown")
local visual = require("claudecode.visual")

local M = {}

local api = vim.api

local function runs()
  return require("claudecode").state.port ~= nil
end

--- The lines of the selection that Claude was shown, if it is of this buffer.
---@return integer? first From 1
---@return integer|string last_or_err
local function tracked_lines()
  if not require("claudecode").state.config.track_selection then
    return nil, "Selection tracking is not enabled."
  end
  local obstacle = mention.examine(api.nvim_get_current_buf())
  if obstacle then
    return nil, "Failed to send at-mention: " .. obstacle
  end
  local latest = require("claudecode.selection").get_latest_selection()
  if not latest or not latest.selection or latest.selection.isEmpty then
    return nil, "No visual selection to send as at-mention."
  end
  local name = api.nvim_buf_get_name(0)
  if latest.filePath ~= name then
    return nil,
      ("Tracked selection is for '%s', but current buffer is '%s'. Not sending."):format(latest.filePath, name)
  end
  local range = latest.selection
  local last = range["end"].line
  if last > range.start.line and range["end"].character == 0 then
    last = last - 1
  end
  return range.start.line + 1, last + 1
end

--- Whether there is nothing to see in the lines.
local function is_blank(first, last)
  return table.concat(api.nvim_buf_get_lines(0, first - 1, last, false), "\n") == ""
end

--- :ClaudeCodeSend mentions the lines of a range, of the Visual area, or of the selection that
--- Claude was shown last; in a file explorer, the files that are selected.
---@param command { range: integer, line1: integer, line2: integer }
function M.send(command)
  if not runs() then
    return log.error("selection", "Claude Code integration is not running.")
  elseif require("claudecode.explorers").is_current() then
    return require("claudecode.explorers.commands").send(command)
  end
  local context = "ClaudeCodeSend"
  local first, last = visual.lines()
  if first then
    context = "ClaudeCodeSend_visual"
    visual.leave()
  elseif command.range > 0 then
    first, last = command.line1, math.min(command.line2, api.nvim_buf_line_count(0))
  else
    first, last = tracked_lines()
    if not first then
      return log.warn("selection", last --[[@as string]])
    end
  end
  if is_blank(first, last) then
    return log.warn("selection", "Invalid range selection to send as at-mention.")
  end
  local ok, err = mention.send_lines(api.nvim_get_current_buf(), first, last --[[@as integer]], context)
  if not ok then
    log.error("selection", "Failed to send at-mention: " .. err)
  end
end

--- What a path in a command may mean: the text itself, without quotes, without backslashes, or
--- with `%`, `#` and `<` expanded; in a proposal or a review `%` is the file of which it is.
---@param text string
---@return string[]
local function readings(text)
  local list = { text }
  local quoted = text:match('^"(.*)"$') or text:match("^'(.*)'$")
  if quoted then
    table.insert(list, quoted)
  end
  table.insert(list, (text:gsub("\\(.)", "%1")))
  if text:find("^[%%#<]%S*$") then
    local file, modifiers = shown.file(), text:match("^%%([:%a]*)$")
    local expanded = file and modifiers and vim.fn.fnamemodify(file, modifiers) or vim.fn.expand(text)
    if expanded ~= "" then
      table.insert(list, expanded)
    end
  end
  return list
end

local function existing(text)
  return vim.iter(readings(text)):find(function(path)
    return vim.uv.fs_stat(paths.absolute(paths.expand_home(path))) ~= nil
  end)
end

--- How the words of the command may be divided: into path and line numbers, the longest path first.
local divisions = { "^(.-)$", "^(.-)%s+(%d+)$", "^(.-)%s+(%d+)%s+(%d+)$" }

--- The path and the numbers, if there is a file or folder of that name.
---@return string? path
---@return string? first
---@return string? last
local function find(text)
  for _, division in ipairs(divisions) do
    local path, first, last = text:match(division)
    path = path and path ~= "" and existing(path)
    if path then
      return path, first, last
    end
  end
end

--- What is wrong with the words, none of which names a file.
---@param words string[]
---@return string
local function complaint(words)
  if #words > 3 then
    return "Too many arguments. Usage: :ClaudeCodeAdd <file-path> [start-line] [end-line]"
  end
  for i, name in ipairs({ "start", "end" }) do
    local word = words[i + 1]
    if word and not word:find("^%-?%d+$") then
      return ("Invalid %s line number: %s"):format(name, word)
    elseif word and tonumber(word) < 1 then
      return ("%s line must be positive: %s"):format(name == "start" and "Start" or "End", word)
    end
  end
  local is_current = words[1]:find("^%%") ~= nil
  local file = is_current and (shown.file() or api.nvim_buf_get_name(0))
  if file == "" then
    return "% is the current file, and this buffer has none: :w NAME makes one"
  end
  return "File or directory does not exist: " .. (file or words[1])
end

---@param first? integer
---@param last? integer
---@return string?
local function range_complaint(first, last)
  if first and first < 1 then
    return "Start line must be positive: " .. first
  elseif last and last < 1 then
    return "End line must be positive: " .. last
  elseif first and last and first > last then
    return ("Start line (%d) must be <= end line (%d)"):format(first, last)
  end
end

--- The last line, if the file has fewer than were asked for: then the user is told.
---@param path string
---@param first? integer
---@param last? integer
---@return integer? last
---@return string? problem
local function end_within(path, first, last)
  local count = first and require("claudecode.mention.path").count_lines(path, last or first)
  if not count or count >= (last or first) then
    return last
  end
  local has = ("%s has %s on disk"):format(vim.fs.basename(path), require("claudecode.words").count(count, "line"))
  if first > math.max(count, 1) then
    return nil, ("Line %d does not exist: %s"):format(first, has)
  elseif last then
    log.info("command", has .. ": it is mentioned up to there")
    return math.max(count, 1)
  end
end

--- :ClaudeCodeAdd mentions a file or folder, with 1-based lines if they are given. The path may
--- hold blanks, escaped, quoted or as they are; only a leading `%`, `#` or `<` that names no file
--- is expanded.
---@param command { args: string, fargs: string[] }
function M.add(command)
  local function fail(message)
    log.error("command", "ClaudeCodeAdd: " .. message)
  end
  local text = vim.trim(command.args)
  if not runs() then
    return fail("Claude Code integration is not running.")
  elseif text == "" then
    return fail("No file path provided")
  end
  local path, start, stop = find(text)
  if not path then
    return fail(complaint(command.fargs))
  end
  local first, last = tonumber(start), tonumber(stop)
  local problem = range_complaint(first, last)
  if not problem then
    last, problem = end_within(path, first, last)
  end
  if problem then
    return fail(problem)
  end
  local ok, err = mention.send(path, first and first - 1, last and last - 1, "ClaudeCodeAdd")
  if not ok then
    fail(err --[[@as string]])
  end
end

--- Completes a path; what it offers can be typed as it is.
---@param lead string
---@return string[]
function M.complete(lead)
  return vim.tbl_map(function(path)
    return (path:gsub("[ \t\\]", "\\%0"))
  end, vim.fn.getcompletion((lead:gsub("\\(.)", "%1")), "file"))
end

return M
