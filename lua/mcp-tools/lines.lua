--- Texts in parts, worked on in slices: all of a long one at once would hold up the editor, and so
--- would one string for each of its lines.

local slices = require("mcp-tools.slices")

local M = {}

local api = vim.api

--- Lines and bytes that are worked on in one go, and how often a buffer is read anew because the user
--- types.
local block, piece, max_tries = 100, 8192, 20

---@alias mcp_tools.Text string[] What together is the text

---@return mcp_tools.Text? text nil if the buffer was closed meanwhile
local function read_once(buf)
  local text, count = {}, api.nvim_buf_line_count(buf)
  for first = 0, count - 1, block do
    local lines = api.nvim_buf_get_lines(buf, first, first + block, false)
    local has_end = first + block < count or vim.bo[buf].endofline
    local part = table.concat(lines, "\n") .. (has_end and "\n" or "")
    text[#text + 1] = part ~= "" and part or nil
    slices.pause()
    if not api.nvim_buf_is_loaded(buf) then
      return nil
    end
  end
  -- A buffer shows a line even if it has none.
  local empty = #text == 1 and text[1] == "\n" and require("claudecode.diff.text").read(buf) == ""
  return empty and {} or text
end

--- The text of a buffer, without a byte order mark.
---@param buf integer Loaded
---@return mcp_tools.Text? text nil if the buffer changes all the time or was closed
---@return integer tick The buffer's when it had the text
function M.read(buf)
  for _ = 1, max_tries do
    local tick, eol = api.nvim_buf_get_changedtick(buf), vim.bo[buf].endofline
    local text = read_once(buf)
    if not text then
      break
    elseif api.nvim_buf_get_changedtick(buf) == tick and vim.bo[buf].endofline == eol then
      return text, tick
    end
  end
  return nil, 0
end

--- Cuts a text, if that was not done yet.
---@param text string|string[]
---@return mcp_tools.Text
function M.cut(text)
  local parts = {}
  for _, part in ipairs(type(text) == "table" and text or { text }) do
    for at = 1, #part, piece do
      parts[#parts + 1] = part:sub(at, at + piece - 1)
      slices.pause()
    end
  end
  return parts
end

---@param text mcp_tools.Text
---@return integer bytes
function M.size(text)
  local bytes = 0
  for _, part in ipairs(text) do
    bytes = bytes + #part
  end
  return bytes
end

--- Whether the last line of a text has an end, as that of an empty one does.
---@param text mcp_tools.Text
---@return boolean
function M.has_end(text)
  return #text == 0 or text[#text]:sub(-1) == "\n"
end

--- How many bytes two pieces of the same size begin with alike.
local function first_alike(a, b)
  local at = 0
  for _, size in ipairs({ 512, 32, 1 }) do
    while at + size <= #a and a:sub(at + 1, at + size) == b:sub(at + 1, at + size) do
      at = at + size
    end
  end
  return at
end

--- How many bytes two texts begin with alike.
---@param a mcp_tools.Text
---@param b mcp_tools.Text
---@return integer bytes
---@return integer in_lines Of them those that are whole lines
function M.head(a, b)
  local i, j, x, y = 1, 1, a[1], b[1] -- x and y: what is left of the parts
  local bytes, in_lines = 0, 0
  while x and y do
    local size = math.min(#x, #y)
    local p, q = x:sub(1, size), y:sub(1, size)
    local alike = p == q and size or first_alike(p, q)
    local last = p:sub(1, alike):match(".*()\n")
    in_lines = last and bytes + last or in_lines
    bytes = bytes + alike
    if alike < size then
      break
    end
    x, y = x:sub(size + 1), y:sub(size + 1)
    if x == "" then
      i = i + 1
      x = a[i]
    end
    if y == "" then
      j = j + 1
      y = b[j]
    end
    slices.pause()
  end
  return bytes, in_lines
end

--- How many whole lines two texts end with alike, but for one or so.
---@param a mcp_tools.Text
---@param b mcp_tools.Text
---@param most integer Bytes that may be alike
---@return integer bytes
function M.tail(a, b, most)
  local i, j = #a, #b
  local x, y = a[i], b[j]
  local bytes, in_lines = 0, 0
  while x and y and bytes < most do
    local size = math.min(#x, #y, most - bytes)
    local p, q = x:sub(-size), y:sub(-size)
    local alike = p == q and size or first_alike(p:reverse(), q:reverse())
    local first = p:find("\n", size - alike + 1, true)
    in_lines = first and bytes + size - first or in_lines
    bytes = bytes + alike
    if alike < size then
      break
    end
    x, y = x:sub(1, -size - 1), y:sub(1, -size - 1)
    if x == "" then
      i = i - 1
      x = a[i]
    end
    if y == "" then
      j = j - 1
      y = b[j]
    end
    slices.pause()
  end
  return in_lines
end

---@param a mcp_tools.Text
---@param b mcp_tools.Text
---@return boolean
function M.same(a, b)
  local size = M.size(a)
  return size == M.size(b) and (M.head(a, b)) == size
end

--- A part of a text.
---@param text mcp_tools.Text
---@param from integer Bytes that precede it
---@param to integer Bytes up to its end
---@return mcp_tools.Text
function M.sub(text, from, to)
  local parts, at = {}, 0
  for _, part in ipairs(text) do
    local taken = part:sub(math.max(from - at, 0) + 1, math.max(to - at, 0))
    parts[#parts + 1] = taken ~= "" and taken or nil
    at = at + #part
    slices.pause()
  end
  return parts
end

--- How many lines a text has; one without an end counts.
---@param text mcp_tools.Text
---@return integer
function M.count(text)
  local count = M.has_end(text) and 0 or 1
  for _, part in ipairs(text) do
    count = count + select(2, part:gsub("\n", ""))
    slices.pause()
  end
  return count
end

--- Reads lines, without their ends. What is returned takes the number of the first, from 1, and how
--- many; it never goes back.
---@param text mcp_tools.Text
---@return fun(first: integer, count: integer): string[]
function M.reader(text)
  local i, at, line = 1, 1, 1
  --- Goes behind a line.
  local function go_on(wanted)
    local rest = ""
    while text[i] do
      local part = text[i]
      local last = part:find("\n", at, true)
      rest = wanted and rest .. part:sub(at, (last or #part + 1) - 1) or rest
      if last then
        at = last + 1
        break
      end
      i, at = i + 1, 1
    end
    line = line + 1
    if line % block == 0 then
      slices.pause()
    end
    return rest
  end
  return function(first, count)
    local lines = {}
    while line < first do
      go_on(false)
    end
    for n = 1, count do
      lines[n] = go_on(true)
    end
    return lines
  end
end

--- Makes a text of lines.
---@param lines string[]
---@param has_end boolean
---@return mcp_tools.Text
function M.pack(lines, has_end)
  local text = {}
  for at = 1, #lines, block do
    local to = math.min(at + block - 1, #lines)
    local part = table.concat(lines, "\n", at, to) .. ((to < #lines or has_end) and "\n" or "")
    text[#text + 1] = part ~= "" and part or nil
    slices.pause()
  end
  return text
end

return M
