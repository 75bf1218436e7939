--- Snippets as plain text: placeholders become their defaults, tab stops nothing.
--- LSP 3.17, "Snippet Syntax".

local M = {}

local parse

--- The text up to a closing mark, and where that ends.
local function until_mark(text, at, mark)
  local parts = {}
  while at <= #text do
    local char = text:sub(at, at)
    if char == mark then
      return table.concat(parts), at + 1
    elseif char == "\\" and text:find("^[\\$},|]", at + 1) then
      table.insert(parts, text:sub(at + 1, at + 1))
      at = at + 2
    elseif char == "$" then
      local part
      part, at = parse(text, at)
      table.insert(parts, part)
    else
      table.insert(parts, char)
      at = at + 1
    end
  end
  return table.concat(parts), at
end

--- What begins with a dollar sign: `$1`, `$name`, `${1}`, `${1:default}`, `${1|one,two|}`, `${1/…/…/}`.
function parse(text, at)
  local behind = text:match("^%$[%w_]+()", at)
  if behind then
    return "", behind
  end
  behind = text:match("^%${[%w_]+()", at)
  if not behind then
    return "$", at + 1
  end
  local kind = text:sub(behind, behind)
  if kind == "}" then
    return "", behind + 1
  elseif kind == ":" then
    return until_mark(text, behind + 1, "}")
  elseif kind == "|" then
    local choices, close = until_mark(text, behind + 1, "|")
    return choices:match("^[^,]*"), close + 1
  end
  return "", select(2, until_mark(text, behind + 1, "}"))
end

---@param snippet string
---@return string
function M.plain(snippet)
  return (until_mark(snippet, 1, nil))
end

return M
