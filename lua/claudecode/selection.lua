--- What the user has selected, as Claude is told it.
---
--- Lines count from 0. Columns are bytes and count from 0, the end is excluded: it is behind the
--- whole last character, or one more behind the line's end if the line break is selected too.

local paths = require("claudecode.paths")

local M = {}

local api = vim.api

---@class claudecode.Position
---@field line integer
---@field character integer

---@class claudecode.Selection
---@field text string
---@field filePath string Empty if the buffer has no name
---@field fileUrl string
---@field selection { start: claudecode.Position, end: claudecode.Position, isEmpty: boolean }

local function report(text, first, last)
  local name = api.nvim_buf_get_name(0)
  return {
    text = text,
    filePath = name,
    fileUrl = paths.to_uri(name),
    selection = {
      start = { line = first[1] - 1, character = first[2] },
      ["end"] = { line = last[1] - 1, character = last[2] },
      isEmpty = text == "",
    },
  }
end

--- The column behind the character at a column, which counts from 1.
local function behind(line, column)
  if column > #line then
    return column
  end
  return column + vim.str_utf_end(line, column)
end

--- Both ends of the visual area, in order, as { line, column }, both from 1.
local function ends()
  local a, b = vim.fn.getpos("v"), vim.fn.getpos(".")
  local first, last = { a[2], a[3] }, { b[2], b[3] }
  if first[1] > last[1] or first[1] == last[1] and first[2] > last[2] then
    first, last = last, first
  end
  return first, last
end

--- The selection of Visual mode. A block counts as the text from its one corner to the other.
local function visual(linewise)
  local first, last = ends()
  local lines = api.nvim_buf_get_lines(0, first[1] - 1, last[1], true)
  local last_line = lines[#lines]
  if linewise then
    return report(table.concat(lines, "\n"), { first[1], 0 }, { last[1], #last_line })
  end
  local stop = behind(last_line, last[2])
  if vim.o.selection == "exclusive" then
    stop = last[2] - 1
  end
  lines[#lines] = last_line:sub(1, stop)
  lines[1] = lines[1]:sub(first[2])
  return report(table.concat(lines, "\n"), { first[1], first[2] - 1 }, { last[1], stop })
end

--- The selection in the current buffer, or the cursor if there is none.
---@return claudecode.Selection? selection nil in a terminal, and in a buffer without a name where nothing is selected
function M.latest()
  if vim.bo.buftype == "terminal" then
    return nil
  end
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  if mode == "v" or mode == "V" or mode == "\22" then
    return visual(mode == "V")
  end
  if api.nvim_buf_get_name(0) == "" then
    return nil
  end
  local cursor = api.nvim_win_get_cursor(0)
  return report("", cursor, cursor)
end

return M
