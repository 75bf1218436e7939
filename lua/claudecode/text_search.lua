--- Plain search for a text, which may span lines. Lines count from 1, columns from 0 in bytes.

local M = {}

--- The position of a byte of the joined lines.
local function position(lines, offset)
  for number, line in ipairs(lines) do
    if offset <= #line then
      return { number, offset }
    end
    offset = offset - #line - 1
  end
end

--- The byte of the joined lines at a position.
local function offset_of(lines, at)
  local offset = at[2]
  for number = 1, at[1] - 1 do
    offset = offset + #lines[number] + 1
  end
  return offset
end

--- Finds the first place of a text.
---@param lines string[]
---@param text string Not empty; its line ends may be CRLF
---@param from? { [1]: integer, [2]: integer } Where to begin
---@return { first: { [1]: integer, [2]: integer }, last: { [1]: integer, [2]: integer } }? found Both ends included
function M.find(lines, text, from)
  local joined = table.concat(lines, "\n")
  local needle = text:gsub("\r\n", "\n")
  local first, last = joined:find(needle, from and offset_of(lines, from) + 1 or 1, true)
  if first then
    return { first = position(lines, first - 1), last = position(lines, last - 1) }
  end
end

return M
