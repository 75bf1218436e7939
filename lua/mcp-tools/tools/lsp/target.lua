--- What a tool is asked about: a buffer, and a place in it.

local buffers = require("mcp-tools.buffers")
local current = require("claudecode.current")
local documents = require("claudecode.documents")
local names = require("mcp-tools.tools.lsp.names")
local position = require("claudecode.position")
local swap = require("claudecode.swap")

local M = {}

local api = vim.api

--- Arguments that name a buffer, and a place in it.
M.buffer_args = {
  bufnr = { type = "number", description = "Buffer number (default: 0, the current buffer)" },
  path = { type = "string", description = "File instead of a buffer: a path, opened or not" },
  uri = { type = "string", description = "File instead of a buffer: a file:// URI" },
}
M.position_args = vim.tbl_extend("error", {
  line = { type = "number", description = "Line, from 1 (default: that of the cursor)" },
  col = { type = "number", description = "Column in bytes, from 1 (default: that of the cursor)" },
  symbol = { type = "string", description = "Text on the line to look at, instead of a column" },
}, M.buffer_args)

---@param call mcp_tools.WaitingCall
---@param args table
---@param name string
---@param least integer
---@return integer?
function M.integer(call, args, name, least)
  local value = args[name]
  if value == nil then
    return nil
  elseif type(value) ~= "number" or value ~= math.floor(value) or value < least then
    call:fail(("%s must be an integer from %d, not %s"):format(name, least, vim.inspect(value)))
  end
  return value
end

---@param call mcp_tools.WaitingCall
---@param args table
---@param name string
---@return string?
function M.text(call, args, name)
  local value = args[name]
  if value ~= nil and (type(value) ~= "string" or value == "") then
    call:fail(("%s must be a string that is not empty"):format(name))
  end
  return value
end

local function buffer_of_file(call, file)
  local buf, missing = documents.buffer(file, true)
  if buf then
    return buf
  end
  local exists = vim.uv.fs_stat(missing) ~= nil
  call:fail((exists and "Cannot read " or "No such file: ") .. names.path(missing))
end

--- The buffer that the arguments name, loaded, with the text on disk unless it has changes.
---@param call mcp_tools.WaitingCall
---@param args table
---@return integer buf
function M.buffer(call, args)
  local file = M.text(call, args, "uri") or M.text(call, args, "path")
  local buf = M.integer(call, args, "bufnr", 0) or 0
  buf = file and buffer_of_file(call, file) or buf == 0 and current.buf() or buf
  if not api.nvim_buf_is_valid(buf) then
    call:fail(("There is no buffer %d"):format(buf))
  elseif not api.nvim_buf_is_loaded(buf) then
    local ok, err = pcall(swap.load, "mcp-tools", buf)
    if not ok and not api.nvim_buf_is_loaded(buf) then
      call:fail(("Cannot read %s: %s"):format(names.buffer(buf), err))
    end
  end
  local problem = buffers.withheld(buf) or documents.reload({ buf })
  if problem then
    call:fail(problem)
  end
  -- What servers are told of the new text is sent one turn later.
  call:await(vim.schedule)
  if not api.nvim_buf_is_loaded(buf) then
    call:fail("The buffer was closed")
  end
  return buf
end

--- The cursor of a window that shows the buffer.
local function cursor_in(buf)
  local win = current.win()
  if api.nvim_win_get_buf(win) ~= buf then
    win = vim.fn.win_findbuf(buf)[1]
  end
  return win and api.nvim_win_get_cursor(win)
end

local word_char = "[%w_\128-\255]"

--- Whether a piece of a line is no part of a longer word.
local function is_whole(line, first, last)
  local starts = not line:sub(first, first):find(word_char) or not line:sub(first - 1, first - 1):find(word_char)
  local ends = not line:sub(last, last):find(word_char) or not line:sub(last + 1, last + 1):find(word_char)
  return starts and ends
end

--- Where a text is on a line: as a word if it is one somewhere, the nearest one to a column.
---@return integer? first
---@return integer? last
local function find_symbol(line, symbol, near)
  local best, best_rank
  local first, last = line:find(symbol, 1, true)
  while first do
    local rank = { is_whole(line, first, last) and 0 or 1, near and math.abs(first - near) or 0 }
    if not best or rank[1] < best_rank[1] or rank[1] == best_rank[1] and rank[2] < best_rank[2] then
      best, best_rank = { first, last }, rank
    end
    first, last = line:find(symbol, first + 1, true)
  end
  if best then
    return best[1], best[2]
  end
end

--- The start of the last word of a text: what `a.b.c()` means is c.
local function last_word(text)
  local start = 1
  for at in text:gmatch("()" .. word_char .. "+") do
    start = at
  end
  return start
end

---@class (exact) mcp_tools.lsp.Place
---@field line integer From 0
---@field column integer Bytes, from 0
---@field text string The line

--- The place that the arguments name.
---@param call mcp_tools.WaitingCall
---@param buf integer
---@param args table
---@param behind? boolean Whether a symbol means the place behind it and its bracket
---@return mcp_tools.lsp.Place
function M.place(call, buf, args, behind)
  local line, col = M.integer(call, args, "line", 1), M.integer(call, args, "col", 1)
  local symbol = M.text(call, args, "symbol")
  local cursor = not line and cursor_in(buf) or nil
  line = line or cursor and cursor[1]
  if not line then
    call:fail(("line is missing: no window shows %s"):format(names.buffer(buf)))
  end
  local count = api.nvim_buf_line_count(buf)
  if line > count then
    call:fail(("There is no line %d: %s has %d"):format(line, names.buffer(buf), count))
  end
  local text = api.nvim_buf_get_lines(buf, line - 1, line, true)[1]
  local column = col and col - 1 or cursor and cursor[2] or 0
  if symbol then
    local first, last = find_symbol(text, symbol, col or cursor and cursor[2] + 1)
    if not first then
      call:fail(("%q is not on line %d of %s, which is %q"):format(symbol, line, names.buffer(buf), text))
    end
    local bracket = behind and text:match("^%s*[%(<]", last + 1)
    column = behind and last + #(bracket or "") or first + last_word(symbol) - 2
  elseif not col and not cursor then
    column = #text:match("^%s*")
  end
  return { line = line - 1, column = math.min(column, #text), text = text }
end

--- The parameters of a request about a place.
---@param client vim.lsp.Client
---@param buf integer
---@param place mcp_tools.lsp.Place
function M.params(client, buf, place)
  return {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    position = {
      line = place.line,
      character = position.to_units(place.text, place.column, client.offset_encoding),
    },
  }
end

return M
