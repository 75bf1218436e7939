--- A text in parts in which lines are found: one string of a long text would take long to make.

local M = {}

---@class (exact) mcp_tools.lsp.Indexed
---@field private parts mcp_tools.Text
---@field private begins integer[] Where each part begins, in bytes from 1
---@field private starts integer[] Where each line begins; the last one is the end of the text if that has an end
---@field size integer Bytes
local Indexed = {}
Indexed.__index = Indexed

---@param call mcp_tools.WaitingCall
---@param text mcp_tools.Text
---@return mcp_tools.lsp.Indexed
function M.new(call, text)
  local self = setmetatable({ parts = text, begins = {}, starts = { 1 }, size = 0 }, Indexed)
  for i, part in ipairs(text) do
    self.begins[i] = self.size + 1
    local at = part:find("\n", 1, true)
    while at do
      table.insert(self.starts, self.size + at + 1)
      at = part:find("\n", at + 1, true)
      call:pause()
    end
    self.size = self.size + #part
  end
  return self
end

--- The part that has a byte.
function Indexed:part_of(byte)
  local low, high = 1, #self.begins
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if self.begins[middle] <= byte then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

--- Adds the text between two bytes, both included, to another.
---@param into string[]
---@param from integer
---@param to integer
---@param call? mcp_tools.WaitingCall Whose turn it may be to pause
function Indexed:copy(into, from, to, call)
  local i = self:part_of(from)
  while from <= to do
    local begin, part = self.begins[i], self.parts[i]
    table.insert(into, part:sub(from - begin + 1, to - begin + 1))
    from, i = begin + #part, i + 1
    if call then
      call:pause()
    end
  end
end

--- Where a line begins, and the line without its end; nil behind the last one.
---@param line integer From 0
---@return integer? start
---@return string line
function Indexed:line(line)
  local start = self.starts[line + 1]
  if not start then
    return nil, ""
  end
  local parts = {}
  self:copy(parts, start, (self.starts[line + 2] or self.size + 2) - 2)
  return start, table.concat(parts)
end

return M
