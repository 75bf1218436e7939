--- Texts and buffers. A text has LF line ends and is exact to the byte: whether its last line has
--- an end, carriage returns, NUL and a byte order mark at its start are part of it.

local M = {}

local api = vim.api

--- Lines that a long text is put into a buffer by.
local block = 500

--- The byte order mark, which 'bomb' stands for in a buffer.
M.bom = "\239\187\191"

--- Bytes of a text, and of one of its lines, above which it is not highlighted: that would stop
--- the editor at each redraw.
M.max_highlight_bytes = 512 * 1024
M.max_highlight_line = 10 * 1024

local run ---@type fun()

--- Runs f while no autocommand does, not even those about options.
---@generic T
---@param f fun(): T
---@return T
function M.silently(f)
  local ok, result
  run = function()
    ok, result = pcall(f)
  end
  local second_half = "require('claudecode.diff.text').run_silently()"
  api.nvim_cmd({ cmd = "lua", args = { second_half }, mods = { noautocmd = true } }, {})
  if not ok then
    error(result, 0)
  end
  return result
end

--- The second half of silently(), which a command has to find by name.
function M.run_silently()
  run()
end

--- Takes a text apart: what stands before its lines, its lines, what stands behind them.
---@param text string
---@return string bom
---@return string[] lines At least one
---@return boolean eol Whether the last line has an end
local function parse(text)
  local bom = vim.startswith(text, M.bom) and M.bom or ""
  local eol = text:sub(-1) == "\n"
  return bom, vim.split(text:sub(#bom + 1, eol and -2 or -1), "\n", { plain = true }), eol
end

--- Puts lines into a buffer in place of those behind others; that is never undone.
---@param buf integer
---@param count integer Lines that stay
---@param lines string[]
local function set_forever(buf, count, lines)
  local bo = vim.bo[buf]
  local levels = bo.undolevels
  bo.modifiable, bo.undolevels = true, -1
  api.nvim_buf_set_lines(buf, count, -1, false, lines)
  bo.undolevels = levels
end

---@param buf integer
---@param has_bom boolean
---@param eol boolean
local function set_format(buf, has_bom, eol)
  local bo = vim.bo[buf]
  bo.fileformat, bo.bomb, bo.endofline, bo.fixendofline = "unix", has_bom, eol, false
end

--- Makes a text the content of a buffer, in which it can be edited and never undone, whatever was
--- there. 'modified' may be on or off afterwards. A second call takes back what autocommands did.
---@param buf integer Loaded
---@param text string
function M.fill(buf, text)
  local bom, lines, eol = parse(text)
  M.silently(function()
    set_forever(buf, 0, lines)
    set_format(buf, bom ~= "", eol)
  end)
end

--- Does the same to a hidden buffer that is empty and new, in slices.
---@param buf integer
---@param text string
function M.fill_in_slices(buf, text)
  local has_bom = vim.startswith(text, M.bom)
  local at, count = has_bom and #M.bom + 1 or 1, 0
  while at <= #text do
    local lines = {}
    while #lines < block and at <= #text do
      local last = text:find("\n", at, true) or #text + 1
      lines[#lines + 1] = text:sub(at, last - 1)
      at = last + 1
    end
    M.silently(function()
      set_forever(buf, count, lines)
    end)
    count = count + #lines
    require("mcp-tools.slices").pause()
  end
  M.silently(function()
    set_format(buf, has_bom, text:sub(-1) == "\n")
  end)
end

--- Whether a buffer has no line, of which it shows an empty one.
local function has_no_line(buf)
  return api.nvim_buf_call(buf, vim.fn.wordcount).bytes == 0
end

--- The text of a buffer: of one that fill() filled, what it got, as far as the user left it so.
---@param buf integer Loaded
---@return string
function M.read(buf)
  local bo = vim.bo[buf]
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  if #lines == 1 and lines[1] == "" and bo.endofline and has_no_line(buf) then
    return ""
  end
  return (bo.bomb and M.bom or "") .. table.concat(lines, "\n") .. (bo.endofline and "\n" or "")
end

--- Whether highlighting a text would take too long.
---@param text string
---@return boolean
function M.is_huge(text)
  return #text > M.max_highlight_bytes
    or vim.iter(text:gmatch("[^\n]+")):any(function(line)
      return #line > M.max_highlight_line
    end)
end

--- Gives a buffer the filetype of a path, else that of another buffer, and none to a huge text.
--- Errors of the user's autocommands are raised.
---@param buf integer
---@param path string
---@param text string
---@param other? integer
function M.set_filetype(buf, path, text, other)
  if M.is_huge(text) then
    return
  end
  local _, lines = parse(text)
  local found = vim.filetype.match({ filename = path, contents = lines }) or other and vim.bo[other].filetype
  if found and found ~= "" then
    vim.bo[buf].filetype = found
  end
end

return M
