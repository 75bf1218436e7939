--- What Claude is told: a report of a selection, or of a cursor. The positions are those of the
--- wire, see claudecode.position.

local filter = require("claudecode.selection.filter")
local paths = require("claudecode.paths")
local position = require("claudecode.position")

local M = {}

local api = vim.api

---@class claudecode.Selection
---@field text string Empty also if it may not leave, or is too large
---@field filePath? string Empty if the buffer has no name; absent if nothing is reported
---@field fileUrl? string
---@field selection { start: claudecode.Position, end: claudecode.Position, isEmpty: boolean }

--- Claude leaves at a message that is larger. The rest of a report needs less than the margin.
M.max_message = 16 * 1024 * 1024
local margin = 64 * 1024

--- How many bytes each byte takes in a message at most. What is no UTF-8 becomes U+FFFD, which has
--- three; `\u0000` has six.
local sizes = {} ---@type table<integer, integer>
for byte = 0, 255 do
  sizes[byte] = byte < 0x20 and 6 or byte < 0x80 and 1 or 3
end
for char in ('"\\\n\r\t'):gmatch(".") do
  sizes[char:byte()] = 2
end

local function fits(text)
  local room = M.max_message - margin
  for i = 1, #text do
    room = room - sizes[text:byte(i)]
  end
  return room >= 0
end

--- The text of a range, nil if the buffer does not have it or it is too large.
---@param buf integer
---@param first claudecode.Position
---@param last claudecode.Position
---@return string?
function M.text(buf, first, last)
  if not api.nvim_buf_is_loaded(buf) or last.line >= api.nvim_buf_line_count(buf) then
    return nil
  end
  local size = api.nvim_buf_get_offset(buf, last.line) + last.character - api.nvim_buf_get_offset(buf, first.line)
  if size - first.character > M.max_message then
    return nil
  end
  local lines = api.nvim_buf_get_lines(buf, first.line, last.line + 1, false)
  lines[#lines] = lines[#lines]:sub(1, last.character)
  lines[1] = lines[1]:sub(first.character + 1)
  local text = table.concat(lines, "\n")
  return fits(text) and text or nil
end

---@param buf integer
---@param first claudecode.Position
---@param last claudecode.Position
---@return claudecode.Selection?
local function report(buf, first, last)
  local level = filter.of(buf)
  if level == "none" then
    return nil
  end
  local name = api.nvim_buf_get_name(buf)
  local text = level == "full" and M.text(buf, first, last) or nil
  local empty = text == "" or first.line == last.line and first.character == last.character
  return {
    text = text or "",
    filePath = name,
    fileUrl = paths.to_uri(name),
    selection = { start = first, ["end"] = last, isEmpty = empty },
  }
end

--- The report that says that nothing is selected and no file is open.
---@return claudecode.Selection
function M.nothing()
  local zero = { line = 0, character = 0 }
  return { text = "", selection = { start = zero, ["end"] = zero, isEmpty = true } }
end

--- The report of a file of which the cursor is not known.
---@param buf integer
---@return claudecode.Selection?
function M.file(buf)
  return report(buf, { line = 0, character = 0 }, { line = 0, character = 0 })
end

--- A report without what may not leave any more, nil if that is all of it.
---@param told claudecode.Selection
---@param buf integer
---@return claudecode.Selection?
function M.filtered(told, buf)
  local level = filter.of(buf)
  if level == "full" or level == "path" and told.text == "" then
    return told
  end
  return level == "path" and vim.tbl_extend("force", told, { text = "" }) or nil
end

local function line_at(buf, number)
  return api.nvim_buf_get_lines(buf, number - 1, number, false)[1] or ""
end

--- The report of a Visual area with its ends as the API has them. A block counts as the text from
--- its one corner to the other.
local function area(buf, mode, a, b)
  if a[1] > b[1] or a[1] == b[1] and a[2] > b[2] then
    a, b = b, a
  end
  local text = line_at(buf, b[1])
  if mode == "V" then
    return report(buf, { line = a[1] - 1, character = 0 }, { line = b[1] - 1, character = #text })
  end
  local stop = vim.o.selection == "exclusive" and math.min(b[2], #text) or position.behind(text, b[2])
  return report(buf, position.from_api(a), { line = b[1] - 1, character = stop })
end

--- What is selected in the current buffer, which is in Visual or Select mode.
---@param mode string
---@return claudecode.Selection?
function M.live(mode)
  local kind = ({ s = "v", S = "V", ["\19"] = "\22" })[mode:sub(1, 1)] or mode:sub(1, 1)
  return area(
    api.nvim_get_current_buf(),
    kind,
    position.from_getpos(vim.fn.getpos("v")),
    position.from_getpos(vim.fn.getpos("."))
  )
end

--- What was selected in a buffer when Visual mode ended there.
---@param buf integer
---@param mode string The mode that ended
---@return claudecode.Selection?
function M.released(buf, mode)
  local first, last = api.nvim_buf_get_mark(buf, "<"), api.nvim_buf_get_mark(buf, ">")
  if first[1] > 0 and last[1] > 0 then
    return area(buf, mode:sub(1, 1), first, last)
  end
end

--- The cursor of a buffer, in its current window, in one that shows it, or where it last was.
---@param buf integer
---@return { [1]: integer, [2]: integer }
function M.cursor_of(buf)
  local win = buf == api.nvim_get_current_buf() and 0 or vim.fn.win_findbuf(buf)[1]
  return win and api.nvim_win_get_cursor(win) or api.nvim_buf_get_mark(buf, '"')
end

--- The report of a buffer's cursor, where nothing is selected.
---@param buf integer
---@return claudecode.Selection?
function M.cursor(buf)
  local at = M.cursor_of(buf)
  at[1] = math.max(at[1], 1)
  return report(buf, position.from_api(at), position.from_api(at))
end

--- The report of whole lines.
---@param buf integer
---@param first integer From 1
---@param last integer From 1, included
---@return claudecode.Selection?
function M.lines(buf, first, last)
  return area(buf, "V", { first, 0 }, { last, 0 })
end

return M
