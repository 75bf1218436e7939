--- JSON as launch.json has it: with comments, and commas before what closes.

local M = {}

--- Behind the text in quotes that begins at a place.
local function behind_quotes(text, at)
  repeat
    at = text:find('["\\]', at + 1)
    local escapes = at and text:sub(at, at) == "\\"
    at = escapes and at + 1 or at
  until not at or not escapes
  return at and at + 1 or #text + 1
end

--- Behind blanks and comments from a place on.
local function behind_blanks(text, at)
  local from
  repeat
    from = at
    at = text:match("^%s*()", at)
    at = text:match("^//[^\n]*()", at) or text:match("^/%*.-%*/()", at) or at
  until at == from
  return at
end

--- The text as plain JSON.
---@param text string
---@return string
function M.plain(text)
  local kept, at = {}, behind_blanks(text, 1)
  while at <= #text do
    local from, char = at, text:sub(at, at)
    at = char == '"' and behind_quotes(text, at) or text:match('^[^",/%s]+()', at) or at + 1
    local next_at = behind_blanks(text, at)
    local closes = text:find("^[%]}]", next_at)
    if char ~= "," or not closes then
      table.insert(kept, text:sub(from, at - 1))
    end
    if next_at > at then
      table.insert(kept, " ")
    end
    at = next_at
  end
  return table.concat(kept)
end

return M
