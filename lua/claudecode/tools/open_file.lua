--- openFile: shows a file, and selects lines or text in it.

local tools = require("claudecode.tools")
local paths = require("claudecode.paths")
local text_search = require("claudecode.text_search")
local windows = require("claudecode.windows")
local log = require("claudecode.log")

local api = vim.api

--- Runs a command whose one argument is a path, whatever characters are in it.
local function command(cmd, path)
  api.nvim_cmd({ cmd = cmd, args = { path }, magic = { file = false, bar = false } }, {})
end

--- Runs f with no dialog about a swap file: it would stop the editor until a key is pressed.
local function without_swap_dialog(f)
  local autocmd = api.nvim_create_autocmd("SwapExists", {
    callback = function(event)
      if vim.v.swapchoice == "" then
        vim.v.swapchoice = "e"
        log.warn("openFile", ("a swap file exists for %s, see :help recovery"):format(event.file))
      end
    end,
  })
  local ok, err = pcall(f)
  api.nvim_del_autocmd(autocmd)
  if not ok then
    error(err, 0)
  end
end

--- Shows the file in the window, which keeps its jump list and is not entered.
local function edit(win, path)
  if api.nvim_win_get_buf(win) == paths.find_buffer(path) then
    return
  end
  without_swap_dialog(function()
    api.nvim_win_call(win, function()
      command("edit", path)
    end)
  end)
end

--- Shows the file in the preview window of the window's tab page.
---@return integer win The preview window
local function preview(win, path)
  without_swap_dialog(function()
    api.nvim_win_call(win, function()
      command("pedit", path)
    end)
  end)
  return vim.iter(api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(win))):find(function(other)
    return vim.wo[other].previewwindow
  end)
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

--- Runs f once Insert or Terminal mode has ended, for what is typed must not reach another window.
local function in_normal_mode(f)
  if not api.nvim_get_mode().mode:find("^[iRt]") then
    return f()
  end
  api.nvim_create_autocmd("ModeChanged", { pattern = "*:n*", once = true, callback = vim.schedule_wrap(f) })
  vim.cmd.stopinsert()
end

--- Shows the file in a window and selects what was asked for.
---@return table result
local function show(args, path)
  local win = windows.find_editor() or windows.make_editor()
  if args.preview then
    win = preview(win, path)
  else
    edit(win, path)
  end
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
  name = "openFile",
  description = "Open a file in the editor and optionally select a range of lines or text",
  input_schema = tools.schema({
    filePath = { type = "string", description = "Path of the file to open" },
    preview = { type = "boolean", description = "Open it in the preview window", default = false },
    startLine = { type = "integer", description = "First line to select, from 1" },
    endLine = { type = "integer", description = "Last line to select, from 1" },
    startText = { type = "string", description = "Text where the selection starts" },
    endText = { type = "string", description = "Text where the selection ends; without it startText is selected" },
    selectToEndOfLine = {
      type = "boolean",
      description = "Extend the selected text to the end of its line",
      default = false,
    },
    makeFrontmost = {
      type = "boolean",
      description = "Move the focus to the file. If false, the focus stays and details of the file are returned",
      default = true,
    },
  }, { "filePath" }),
  ide = true,
  ui = true,
  execute = function(cb, args, ctx)
    if type(args.filePath) ~= "string" then
      return cb(nil, { code = -32602, message = "Invalid params", data = "Missing filePath parameter" })
    end
    local given = paths.expand_home(args.filePath)
    local path = paths.absolute(given)
    local stat = vim.uv.fs_stat(path)
    if not stat or stat.type ~= "file" then
      return cb(nil, { code = -32000, message = "File operation error", data = "File not found: " .. given })
    end
    local function run()
      if ctx.cancelled() then
        return
      end
      local ok, result = pcall(show, args, path)
      if ok then
        cb(result)
      else
        local data = ("Failed to open file: %s"):format(result)
        cb(nil, { code = -32000, message = "File operation error", data = data })
      end
    end
    if args.makeFrontmost == false then
      run()
    else
      in_normal_mode(run)
    end
  end,
}
