-- A language server inside the editor that knows many places, and the tools that ask it.
-- Returned is a table: direct(method) asks it without a tool, longest() is the longest time for
-- which a tool has held the editor since the last call of it, in milliseconds of the processor.
local count = 10000

local function range(line)
  return { start = { line = line, character = 2 }, ["end"] = { line = line, character = 5 } }
end

local path = vim.fn.tempname() .. ".go"
local lines, places, symbols = {}, {}, {}
for i = 1, count do
  lines[i] = ("é😀 line %d"):format(i)
  places[i] = { uri = vim.uri_from_fname(path), range = range(i - 1) }
  symbols[i] = { name = "s" .. i, kind = 12, range = range(i - 1), selectionRange = range(i - 1) }
end
vim.fn.writefile(lines, path)

local answers = {
  initialize = {
    capabilities = {
      hoverProvider = true,
      referencesProvider = true,
      documentSymbolProvider = true,
      textDocumentSync = { openClose = true, change = 0 },
    },
  },
  ["textDocument/hover"] = { contents = { kind = "markdown", value = "func f()" } },
  ["textDocument/references"] = places,
  ["textDocument/documentSymbol"] = symbols,
}

local function start()
  local id = 0
  return {
    request = function(method, _, callback)
      id = id + 1
      vim.schedule(function()
        callback(nil, answers[method] or vim.NIL)
      end)
      return true, id
    end,
    notify = function()
      return true
    end,
    is_closing = function()
      return false
    end,
    terminate = function() end,
  }
end

require("mcp-tools.config").setup({ permissions = { ["*"] = "allow" } })
for _, tool in ipairs(require("mcp-tools.tools.lsp")) do
  require("mcp-tools").register(tool)
end
vim.cmd.edit(path)
local client_id = assert(vim.lsp.start({ name = "many", cmd = start }))
assert(vim.wait(10000, function()
  return vim.lsp.get_client_by_id(client_id).initialized
end, 1))

local longest = 0
local resume = coroutine.resume
coroutine.resume = function(...) -- luacheck: ignore 122
  local before = os.clock() -- of the processor: what else the machine does is left out
  local results = { resume(...) }
  longest = math.max(longest, (os.clock() - before) * 1e3)
  return unpack(results)
end

local M = {}

function M.direct(method)
  local client, got = assert(vim.lsp.get_client_by_id(client_id)), nil
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = { includeDeclaration = true }
  require("claudecode.language_servers").call(client, "request", method, params, function(_, result)
    got = vim.json.encode(result)
  end, 0)
  assert(vim.wait(10000, function()
    return got ~= nil
  end, 1))
  return #got
end

function M.longest()
  local ms = longest
  longest = 0
  return ms
end

return M
