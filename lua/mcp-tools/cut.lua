--- Texts cut to a length, never within a character.

local M = {}

--- Bytes of a result that says itself what is left: less than is shown of any.
M.page = 40 * 1024

--- The first bytes of a text.
---@param text string
---@param bytes integer At most
---@return string
function M.head(text, bytes)
  if #text <= bytes then
    return text
  end
  -- The next character's first byte is where the cut may be.
  return text:sub(1, bytes + vim.str_utf_start(text, bytes + 1))
end

--- A text with a mark of how much it is short of.
---@param text string
---@param bytes integer At most, the mark not counted
---@return string
function M.marked(text, bytes)
  local head = M.head(text, bytes)
  return head == text and text or ("%s… (%d more bytes)"):format(head, #text - #head)
end

return M
