--- buffers_open: loads a file; on request the user gets to see it.

local files = require("mcp-tools.files")
local paths = require("claudecode.paths")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")
local windows = require("claudecode.windows")

local api = vim.api

local name = "buffers_open"

--- A window that shows the buffer: one that does already, else an editor window.
---@return integer win
local function show(buf)
  local win = windows.find_showing(buf)
  if win then
    return win
  end
  local found = windows.find_editor()
  win = found or windows.make_editor()
  local ok, err = pcall(api.nvim_win_call, win, function()
    strict.call(api.nvim_cmd, { cmd = "buffer", count = buf, mods = { hide = true } }, {})
  end)
  if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
    return win
  elseif not found then
    windows.close(win)
  end
  error(ok and "an autocommand showed another buffer" or err, 0)
end

--- Moves the cursor to a line and a column, as far as there are such.
local function go(win, line, column)
  line = math.min(math.max(line, 1), api.nvim_buf_line_count(api.nvim_win_get_buf(win)))
  api.nvim_win_set_cursor(win, { line, math.max(column - 1, 0) })
  api.nvim_win_call(win, function()
    vim.cmd("normal! zvzz")
  end)
end

local function open(args, path)
  local buf = files.load(name, path)
  text.silently(function()
    vim.bo[buf].buflisted = true
  end)
  if args.focus then
    local win = show(buf)
    api.nvim_set_current_win(win)
    if args.line then
      go(win, args.line, args.column)
    end
  end
  return {
    bufnr = buf,
    path = api.nvim_buf_get_name(buf),
    filetype = vim.bo[buf].filetype,
    line_count = api.nvim_buf_line_count(buf),
    shown = #vim.fn.win_findbuf(buf) > 0,
  }
end

return {
  name = name,
  description = "Load a file into a buffer, so that other tools can work on it. No window changes unless focus is true",
  args = {
    path = { type = "string", description = "Path of the file", required = true },
    focus = { type = "boolean", description = "Show it to the user, who is moved there", default = false },
    line = { type = "integer", description = "With focus: the line of the cursor, from 1" },
    column = { type = "integer", description = "With line: the column of the cursor, in bytes from 1", default = 1 },
  },
  annotations = { title = "Open a file", readOnlyHint = false, destructiveHint = false, idempotentHint = true },
  timeout = 0, -- with focus it waits until the user does not type
  execute = function(cb, args, ctx)
    local path = files.absolute(args.path)
    local stat = not path:find("\0", 1, true) and vim.uv.fs_stat(path)
    if not paths.find_buffer(path) and (not stat or stat.type ~= "file") then
      return cb(nil, "There is no such file: " .. args.path)
    end
    local function run()
      local ok, result = pcall(open, args, path)
      if not ok then
        return cb(nil, ("Cannot open %s: %s"):format(args.path, strict.reason(result)))
      end
      cb(result)
    end
    if not args.focus then
      return run()
    end
    ctx.on_cancel(require("claudecode.moment").run(run, { name = name }))
  end,
}
