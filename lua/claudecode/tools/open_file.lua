--- openFile: shows a file, and selects lines or text in it.

local tools = require("claudecode.tools")
local paths = require("claudecode.paths")
local text_search = require("claudecode.text_search")
local windows = require("claudecode.windows")
local swap = require("claudecode.swap")

local api = vim.api

--- Opens a path with a command, whatever characters are in it. Errors of autocommands do not stop
--- it half way.
---@return string? err The last one
local function open_with(cmd, win, path)
  vim.v.errmsg = ""
  return swap.quietly("openFile", function()
    return api.nvim_win_call(win, function()
      local ok, err = pcall(api.nvim_cmd, {
        cmd = cmd,
        args = { path },
        magic = { file = false, bar = false },
        mods = { emsg_silent = true },
      }, {})
      return not ok and err or vim.v.errmsg ~= "" and vim.v.errmsg or nil
    end)
  end)
end

local function shows(win, path)
  return api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == paths.find_buffer(path)
end

--- Shows the file in the window, which keeps its jump list and is not entered.
---@return integer win
local function edit(win, path)
  if not shows(win, path) then
    local err = open_with("edit", win, path)
    if not shows(win, path) then
      error(err or "an autocommand showed another file", 0)
    end
  end
  return win
end

--- Shows the file in the preview window of the window's tab page.
---@return integer win The preview window
local function preview(win, path)
  local page = api.nvim_win_get_tabpage(win)
  local err = open_with("pedit", win, path)
  local found = vim.iter(api.nvim_tabpage_list_wins(page)):find(function(other)
    return vim.wo[other].previewwindow and shows(other, path)
  end)
  return found or error(err or "no preview window shows it", 0)
end

---@class claudecode.Range 1-based lines, 0-based byte columns, the end is included
---@field first { [1]: integer, [2]: integer }
---@field last { [1]: integer, [2]: integer }
---@field linewise? boolean
---@field cursor_only? boolean

--- The lines asked for, as far as the buffer has them.
---@return claudecode.Range?
local function line_range(buf, args)
  if not args.startLine and not args.endLine then
    return nil
  end
  local count = api.nvim_buf_line_count(buf)
  local function clamp(line, low)
    return math.min(math.max(math.floor(tonumber(line) or low), low), count)
  end
  local first = clamp(args.startLine, 1)
  local last = clamp(args.endLine or first, first)
  local last_line = api.nvim_buf_get_lines(buf, last - 1, last, true)[1]
  return { first = { first, 0 }, last = { last, math.max(#last_line - 1, 0) }, linewise = true }
end

--- Finds the text asked for, and says what came of it.
---@return claudecode.Range?
---@return string? message
local function text_range(buf, args)
  local from, to = args.startText or "", args.endText or ""
  if from == "" then
    return nil
  end
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  local start = text_search.find(lines, from)
  if not start then
    return nil, ('Opened file, but text "%s" not found'):format(from)
  end
  local stop = to == "" and start or text_search.find(lines, to, start.first)
  if not stop then
    local message = ('Opened file and positioned at "%s" (end text "%s" not found)'):format(from, to)
    return { first = start.first, last = start.first, cursor_only = true }, message
  end
  local last = stop.last
  if args.selectToEndOfLine then
    last = { last[1], math.max(#lines[last[1]] - 1, 0) }
  end
  local what = to == "" and ('"%s"'):format(from) or ('from "%s" to "%s"'):format(from, to)
  return { first = start.first, last = last }, "Opened file and selected text " .. what
end

--- Leaves the range behind as the last visual area, with the cursor at its start.
local function mark(win, range)
  local buf = api.nvim_win_get_buf(win)
  if not range.cursor_only then
    api.nvim_buf_set_mark(buf, "<", range.first[1], range.first[2], {})
    api.nvim_buf_set_mark(buf, ">", range.last[1], range.last[2], {})
  end
  api.nvim_win_set_cursor(win, range.first)
end

--- Selects the range in the current window.
local function select(range)
  if api.nvim_get_mode().mode:find("^[vVsS\22\19]") then
    vim.cmd.normal({ "\27", bang = true })
  end
  api.nvim_win_set_cursor(0, range.first)
  if not range.cursor_only then
    vim.cmd.normal({ range.linewise and "V" or "v", bang = true })
    api.nvim_win_set_cursor(0, range.last)
    if vim.o.selection == "exclusive" and not range.linewise then
      vim.cmd.normal({ "l", bang = true })
    end
  end
  vim.cmd.normal({ range.linewise and "zv" or "zvzz", bang = true })
end

--- Shows the file in an editor window, or in one that is made for it and closed again if that fails.
---@return integer win
local function place(args, path)
  local show_in = args.preview and preview or edit
  local found = windows.find_editor()
  if found then
    return show_in(found, path)
  end
  local made = windows.make_editor()
  local ok, win = pcall(show_in, made, path)
  if not ok then
    windows.close(made)
    error(win, 0)
  end
  return win
end

--- Shows the file and selects what was asked for.
---@return table result
local function show(args, path)
  local win = place(args, path)
  local buf = api.nvim_win_get_buf(win)
  local lines = line_range(buf, args)
  local text, message = text_range(buf, args)
  local range = text or lines
  if args.makeFrontmost == false then
    if range then
      mark(win, range)
    end
    return tools.json({
      success = true,
      filePath = paths.expand_home(args.filePath),
      languageId = vim.bo[buf].filetype,
      lineCount = api.nvim_buf_line_count(buf),
    })
  end
  api.nvim_set_current_win(win)
  if range then
    select(range)
  end
  if not message and lines then
    message = ("Opened file and selected lines %d to %d"):format(lines.first[1], lines.last[1])
  end
  return tools.text(message or "Opened file: " .. paths.expand_home(args.filePath))
end

return {
  execute = function(cb, args)
    if type(args.filePath) ~= "string" then
      return cb(nil, { code = -32602, message = "Invalid params", data = "Missing filePath parameter" })
    end
    local given = paths.expand_home(args.filePath)
    local path = paths.absolute(given)
    local stat = not path:find("\0", 1, true) and vim.uv.fs_stat(path)
    if not stat or stat.type ~= "file" then
      return cb(nil, { code = -32000, message = "File operation error", data = "File not found: " .. given })
    end
    local ok, result = pcall(show, args, path)
    if ok then
      cb(result)
    else
      local data = "Failed to open file: " .. require("claudecode.strict").reason(result)
      cb(nil, { code = -32000, message = "File operation error", data = data })
    end
  end,
}
