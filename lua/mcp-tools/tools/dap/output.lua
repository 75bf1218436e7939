--- What a program printed, kept after its session ended. Each category has a ring of lines; what is
--- too much for it pushes the oldest out.

local cut = require("mcp-tools.cut")

local M = {}

--- Lines of each category, and of all together, that are kept of a session.
M.max_lines = 1000

--- Bytes of one line that are kept, and of one event that are looked at: only its end if it has more.
M.max_line_bytes, M.max_event_bytes = 4096, 256 * 1024

M.categories = { "stdout", "stderr", "console" }

---@class (exact) mcp_tools.dap.Line
---@field n integer How many lines were before it
---@field time integer Unix seconds
---@field category string
---@field text string

---@class (exact) mcp_tools.dap.Ring
---@field lines mcp_tools.dap.Line[] By position
---@field first integer Position of the oldest
---@field last integer
---@field partial? mcp_tools.dap.Line A line that did not end yet

---@class (exact) mcp_tools.dap.Output
---@field rings table<string, mcp_tools.dap.Ring> By category
---@field n integer Lines that there were

---@return mcp_tools.dap.Output
function M.new()
  local rings = {}
  for _, category in ipairs(M.categories) do
    rings[category] = { lines = {}, first = 1, last = 0 }
  end
  return { rings = rings, n = 0 }
end

---@param ring mcp_tools.dap.Ring
---@param line mcp_tools.dap.Line
local function push(ring, line)
  ring.last = ring.last + 1
  ring.lines[ring.last] = line
  if ring.last - ring.first >= M.max_lines then
    ring.lines[ring.first] = nil
    ring.first = ring.first + 1
  end
end

--- The end of a text: as many lines as are kept, whatever its length.
local function tail(text)
  text = text:sub(-M.max_event_bytes)
  local backwards, at = text:reverse(), 0
  for _ = 0, M.max_lines do
    local found = backwards:find("\n", at + 1, true)
    if not found then
      return text
    end
    at = found
  end
  return text:sub(#text - at + 2)
end

--- Takes what an event of a category tells.
---@param output mcp_tools.dap.Output
---@param category? string
---@param text any
function M.add(output, category, text)
  if category == "telemetry" or type(text) ~= "string" or text == "" then
    return
  end
  category = output.rings[category] and category or "console"
  local ring, time = output.rings[category], os.time()
  local function line(piece)
    local known = ring.partial
    ring.partial = nil
    output.n = known and output.n or output.n + 1
    known = known or { n = output.n, time = time, category = category, text = "" }
    if #known.text <= M.max_line_bytes then
      known.text = cut.marked(known.text .. piece, M.max_line_bytes)
    end
    return known
  end
  text = tail(text)
  for piece in text:gmatch("([^\n]*)\n") do
    push(ring, line((piece:gsub("\r$", ""))))
  end
  local rest = text:match("[^\n]*$")
  if rest ~= "" then
    ring.partial = line(rest)
  end
end

---@param ring mcp_tools.dap.Ring
---@param limit integer
---@param into mcp_tools.dap.Line[]
local function newest(ring, limit, into)
  local first = math.max(ring.first, ring.last + 1 - limit)
  for at = first, ring.last do
    table.insert(into, ring.lines[at])
  end
  if ring.partial then
    table.insert(into, ring.partial)
  end
end

--- The newest lines of a category, or of all in the order in which they came.
---@param output mcp_tools.dap.Output
---@param category string
---@param limit integer
---@return mcp_tools.dap.Line[]
function M.lines(output, category, limit)
  local found = {}
  for _, name in ipairs(category == "all" and M.categories or { category }) do
    newest(output.rings[name], limit, found)
  end
  table.sort(found, function(a, b)
    return a.n < b.n
  end)
  return vim.list_slice(found, math.max(1, #found + 1 - limit))
end

return M
