--- Who calls a function, and whom it calls.

local locations = require("mcp-tools.tools.lsp.locations")
local names = require("mcp-tools.tools.lsp.names")
local servers = require("mcp-tools.tools.lsp.servers")
local target = require("mcp-tools.tools.lsp.target")
local texts = require("mcp-tools.tools.lsp.texts")

local M = {}

--- The lines of ranges, from 1, each once.
local function lines_of(ranges)
  local lines, seen = {}, {}
  for _, range in ipairs(ranges or {}) do
    local line = range.start.line + 1
    if not seen[line] then
      seen[line] = true
      table.insert(lines, line)
    end
  end
  return lines
end

--- The functions that are meant, as questions to the servers that named them.
local function prepare(call, args)
  local buf = target.buffer(call, args)
  local place = target.place(call, buf, args)
  local answers = servers.ask_able(call, "textDocument/prepareCallHierarchy", buf, function(client)
    return target.params(client, buf, place)
  end)
  local questions = {}
  for _, answer in ipairs(answers) do
    for _, item in ipairs(answer.result) do
      table.insert(questions, { client = answer.client, params = { item = item } })
    end
  end
  return buf, questions
end

--- The function at the other end of a call, and the lines on which the calls are: those are in
--- the file of who calls.
local function entry_of(reader, item, ranges, encoding)
  local entry = {
    name = item.name,
    kind = names.symbol_kind(item.kind),
    detail = item.detail ~= "" and item.detail or nil,
    calls = lines_of(ranges),
  }
  return locations.entry(reader, names.of_uri(item.uri), item.selectionRange.start, encoding, entry)
end

---@param call mcp_tools.WaitingCall
---@param method string
---@param side "from"|"to" Where an answer has the other function
local function list(call, args, method, side)
  local limit = locations.limit(call, args)
  local buf, questions = prepare(call, args)
  local reader, entries, seen, more = texts.reader(call), {}, {}, 0
  for _, answer in ipairs(servers.ask(call, method, buf, questions)) do
    for _, found in ipairs(answer.result) do
      local item = found[side]
      local key = ("%s\0%s\0%d"):format(item.uri, item.name, item.selectionRange.start.line)
      if not seen[key] and #entries < limit then
        table.insert(entries, entry_of(reader, item, found.fromRanges, answer.client.offset_encoding))
      elseif not seen[key] then
        more = more + 1
      end
      seen[key] = true
      call:pause()
    end
  end
  locations.note_more(call, more, limit)
  return entries
end

---@param call mcp_tools.WaitingCall
function M.incoming(call, args)
  return list(call, args, "callHierarchy/incomingCalls", "from")
end

---@param call mcp_tools.WaitingCall
function M.outgoing(call, args)
  return list(call, args, "callHierarchy/outgoingCalls", "to")
end

return M
