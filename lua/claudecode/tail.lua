--- The last lines of a stream that arrives in pieces.

local M = {}

--- Lines kept, and bytes kept of each.
M.max_lines = 20
M.max_line_bytes = 500

---@class (exact) claudecode.Tail
---@field lines string[] The last one is not finished yet

---@return claudecode.Tail
function M.new()
  return { lines = { "" } }
end

--- Takes what on_stderr was given: the first piece continues the unfinished line.
---@param tail claudecode.Tail
---@param pieces string[]
function M.add(tail, pieces)
  local lines = tail.lines
  for i, piece in ipairs(pieces) do
    local text = i == 1 and lines[#lines] .. piece or piece
    lines[i == 1 and #lines or #lines + 1] = text:sub(1, M.max_line_bytes)
    if #lines > M.max_lines then
      table.remove(lines, 1)
    end
  end
end

--- The last n lines that are not blank, joined for one message.
---@param tail claudecode.Tail
---@param n integer
---@return string
function M.text(tail, n)
  local lines = vim.tbl_filter(function(line)
    return line:find("%S") ~= nil
  end, tail.lines)
  return table.concat(vim.list_slice(lines, math.max(1, #lines - n + 1)), " | ")
end

return M
