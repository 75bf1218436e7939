--- Symbols of a document, and of all that servers know.

local locations = require("mcp-tools.tools.lsp.locations")
local names = require("mcp-tools.tools.lsp.names")
local servers = require("mcp-tools.tools.lsp.servers")
local target = require("mcp-tools.tools.lsp.target")
local texts = require("mcp-tools.tools.lsp.texts")

local M = {}

---@class (exact) mcp_tools.lsp.Walk Over the symbols of a document
---@field call mcp_tools.WaitingCall
---@field reader mcp_tools.lsp.Reader
---@field path string
---@field left integer How many may still be shown
---@field more integer How many are not
---@field first table<string, integer> Which client named a symbol first

--- A symbol without its children. Its line is that of its name; where it begins is only said if
--- that is another one.
local function entry_of(walk, symbol, encoding)
  local range = symbol.range or symbol.location.range
  local named = (symbol.selectionRange or range).start
  return {
    name = symbol.name,
    kind = names.symbol_kind(symbol.kind),
    detail = symbol.detail ~= "" and symbol.detail or nil,
    container = symbol.containerName,
    line = named.line + 1,
    col = walk.reader:column(walk.path, named, encoding),
    start_line = range.start.line ~= named.line and range.start.line + 1 or nil,
    end_line = range["end"].line ~= named.line and range["end"].line + 1 or nil,
  }
end

--- Whether another server named the same symbol already.
local function is_known(walk, symbol, client)
  local range = symbol.selectionRange or symbol.range or symbol.location.range
  local key = ("%s\0%d"):format(symbol.name, range.start.line)
  walk.first[key] = walk.first[key] or client.id
  return walk.first[key] ~= client.id
end

--- Adds the entries of symbols, with their children. What is known is so with all below it.
local function add(walk, list, symbols, client)
  for _, symbol in ipairs(symbols) do
    walk.call:pause()
    if not is_known(walk, symbol, client) then
      local entry = walk.left > 0 and entry_of(walk, symbol, client.offset_encoding)
      if entry then
        walk.left = walk.left - 1
        table.insert(list, entry)
      else
        walk.more = walk.more + 1
      end
      local below = {}
      add(walk, below, symbol.children or {}, client)
      if entry and #below > 0 then
        entry.children = below
      end
    end
  end
end

---@param call mcp_tools.WaitingCall
function M.document(call, args)
  local limit = locations.limit(call, args)
  local buf = target.buffer(call, args)
  local answers = servers.ask_able(call, "textDocument/documentSymbol", buf, function()
    return { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  end)
  local walk = {
    call = call,
    reader = texts.reader(call),
    path = vim.api.nvim_buf_get_name(buf),
    left = limit,
    more = 0,
    first = {},
  }
  local list = {}
  for _, answer in ipairs(answers) do
    add(walk, list, answer.result, answer.client)
  end
  locations.note_more(call, walk.more, limit)
  return list
end

--- A symbol of the workspace. Some servers only say in which file it is.
local function workspace_entry(reader, symbol, encoding)
  local entry = {
    name = symbol.name,
    kind = names.symbol_kind(symbol.kind),
    container = symbol.containerName ~= "" and symbol.containerName or nil,
  }
  local path = names.of_uri(symbol.location.uri)
  if not symbol.location.range then
    entry.path = names.path(path)
    return entry
  end
  return locations.entry(reader, path, symbol.location.range.start, encoding, entry)
end

--- The key of a symbol that two servers may both name.
local function key_of(symbol)
  local start = vim.tbl_get(symbol, "location", "range", "start") or { line = -1 }
  return ("%s\0%s\0%d"):format(symbol.name, symbol.location.uri, start.line)
end

---@param call mcp_tools.WaitingCall
function M.workspace(call, args)
  local limit = locations.limit(call, args)
  local chosen = args.path or args.uri or args.bufnr
  local buf = chosen and target.buffer(call, args) or nil
  local answers = servers.ask_able(call, "workspace/symbol", buf, function()
    return { query = args.query or "" }
  end)
  local reader = texts.reader(call)
  local list, by_server, more = {}, {}, 0
  for _, answer in ipairs(answers) do
    for _, symbol in ipairs(answer.result) do
      local key = key_of(symbol)
      local first = by_server[key] or answer.client.id
      by_server[key] = first
      if first == answer.client.id and #list < limit then
        table.insert(list, workspace_entry(reader, symbol, answer.client.offset_encoding))
      elseif first == answer.client.id then
        more = more + 1
      end
      call:pause()
    end
  end
  locations.note_more(call, more, limit)
  return list
end

return M
