--- buffers_read: the text of a buffer, saved or not.

local buffers = require("mcp-tools.buffers")
local cut = require("mcp-tools.cut")

local api = vim.api

--- Lines in one answer, and bytes of one line.
local max_lines, max_line_bytes = 2000, 16 * 1024

--- The lines from one on, as many as an answer holds.
---@return string[] lines
---@return integer last
local function take(buf, first, last, numbered)
  local taken, bytes = {}, 0
  for i, line in ipairs(api.nvim_buf_get_lines(buf, first - 1, math.min(last, first + max_lines - 1), false)) do
    line = cut.marked(line, max_line_bytes)
    line = numbered and ("%6d\t%s"):format(first + i - 1, line) or line
    bytes = bytes + #line + 1
    if bytes > cut.page then
      break
    end
    taken[i] = line
  end
  return taken, first + #taken - 1
end

return {
  name = "buffers_read",
  description = "Read the text of a loaded buffer, with its unsaved changes. A long text is cut, and the answer says"
    .. " where to read on",
  args = vim.tbl_extend("error", buffers.args, {
    start_line = { type = "integer", description = "First line, from 1", default = 1, minimum = 1 },
    end_line = { type = "integer", description = "Last line, included; by default the last of the buffer" },
    numbered = { type = "boolean", description = "Begin each line with its number and a tab", default = false },
  }),
  annotations = { title = "Read a buffer", readOnlyHint = true },
  execute = function(cb, args)
    local buf, err = buffers.readable(args)
    if not buf then
      return cb(nil, err)
    end
    local count = api.nvim_buf_line_count(buf)
    local first, last = args.start_line, math.min(args.end_line or count, count)
    if first < 1 or first > count then
      return cb(nil, ("start_line %d: the buffer has the lines 1 to %d"):format(first, count))
    elseif last < first then
      return cb(nil, ("end_line %d is before start_line %d"):format(last, first))
    end
    local lines, reached = take(buf, first, last, args.numbered)
    if reached < last then
      table.insert(lines, ("… %d more lines; read on with start_line %d"):format(last - reached, reached + 1))
    end
    cb(table.concat(lines, "\n"))
  end,
}
