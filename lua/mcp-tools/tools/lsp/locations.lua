--- Lists of places as clients read them.

local names = require("mcp-tools.tools.lsp.names")
local target = require("mcp-tools.tools.lsp.target")
local texts = require("mcp-tools.tools.lsp.texts")

local M = {}

--- How many entries a list has unless the client asks for others, and at most.
M.default_limit, M.max_limit = 100, 500

M.limit_arg = {
  type = "number",
  description = ("Most entries (default: %d, at most %d)"):format(M.default_limit, M.max_limit),
}

---@param call mcp_tools.WaitingCall
---@param args table
---@return integer
function M.limit(call, args)
  return math.min(target.integer(call, args, "limit", 1) or M.default_limit, M.max_limit)
end

--- Tells the client of what was left out.
---@param call mcp_tools.WaitingCall
---@param more integer
---@param limit integer
function M.note_more(call, more, limit)
  if more > 0 then
    local hint = limit < M.max_limit and ("; limit may be up to %d"):format(M.max_limit) or ""
    call:note(("%d more not shown%s"):format(more, hint))
  end
end

--- An entry that names a place.
---@param reader mcp_tools.lsp.Reader
---@param path string
---@param at lsp.Position
---@param encoding string
---@param entry? table What else it says
---@return table
function M.entry(reader, path, at, encoding, entry)
  entry = entry or {}
  entry.path = names.path(path)
  entry.line = at.line + 1
  entry.col = reader:column(path, at, encoding)
  entry.text = reader:shown(path, at.line)
  return entry
end

--- The list in what a request answered: one place, several, or links.
local function list_of(result)
  return vim.islist(result) and result or { result }
end

--- A Location or LocationLink as URI and position.
local function place_of(item)
  if item.targetUri then
    return item.targetUri, (item.targetSelectionRange or item.targetRange).start
  end
  return item.uri, item.range.start
end

--- Whether the answers count columns in different ways.
---@param answers mcp_tools.lsp.Answer[]
function M.differ(answers)
  return vim.iter(answers):any(function(answer)
    return answer.client.offset_encoding ~= answers[1].client.offset_encoding
  end)
end

--- The places in answers, each once, in the order in which they came; as many as the limit allows.
---@param call mcp_tools.WaitingCall
---@param answers mcp_tools.lsp.Answer[]
---@param limit integer
---@return table[]
function M.list(call, answers, limit)
  local reader, differ = texts.reader(call), M.differ(answers)
  local seen, entries, more = {}, {}, 0
  local paths = {} ---@type table<string, string> by URI
  for _, answer in ipairs(answers) do
    local encoding = answer.client.offset_encoding
    for _, item in ipairs(list_of(answer.result)) do
      local uri, at = place_of(item)
      local path = paths[uri] or names.of_uri(uri)
      paths[uri] = path
      local column = differ and reader:column(path, at, encoding) or at.character
      local key = ("%s\0%d\0%d"):format(path, at.line, column)
      if not seen[key] then
        seen[key] = true
        if #entries < limit then
          table.insert(entries, M.entry(reader, path, at, encoding))
        else
          more = more + 1
        end
      end
      call:pause()
    end
  end
  M.note_more(call, more, limit)
  return entries
end

return M
