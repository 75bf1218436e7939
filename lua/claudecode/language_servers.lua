--- Which language servers have reported on the text that a buffer has now.
---
--- A report belongs to a text by the document's version. Neovim numbers a document that it reloads
--- as before, so such a text is sent once more under a number of its own. A server that numbers no
--- report is taken at its word, but for the empty one that it may send because the document was closed.

local lsp = require("claudecode.lsp")
local sent = require("claudecode.sent_texts")

local M = {}

local api = vim.api

local publish = "textDocument/publishDiagnostics"
M.pull = "textDocument/diagnostic"

--- How long a text without a report counts as one that will get one, and a server that never
--- reported as one that will. Some keep silent about files that are not theirs, and some are no
--- checkers at all.
M.patience_ms = 60000

---@class claudecode.LanguageServer A client that has started, whose reports pass through here
---@field documents table<string, claudecode.Document> by path
---@field since integer When it had started, vim.uv.now()
---@field numbering boolean Whether its reports carry versions
---@field spoke boolean Whether it ever reported
---@field is_inside boolean Whether it may run in this editor

local servers = {} ---@type table<integer, claudecode.LanguageServer> by client
local listeners = {} ---@type table<fun(), true>

M.call = lsp.call

--- Whether the server reports when it is asked, not by itself.
---@param client vim.lsp.Client
function M.reports_on_request(client)
  return M.call(client, "supports_method", M.pull)
end

--- Calls a function whenever what is missing may have changed.
---@param f fun()
---@return fun() stop
function M.listen(f)
  listeners[f] = true
  return function()
    listeners[f] = nil
  end
end

function M.tell_listeners()
  for _, f in ipairs(vim.tbl_keys(listeners)) do
    if listeners[f] then
      f()
    end
  end
end

--- Notes that a server reported on a text.
---@param client vim.lsp.Client
---@param document claudecode.Document
function M.take_report(client, document)
  document.reported = true
  if servers[client.id] then
    servers[client.id].spoke = true
  end
  M.tell_listeners()
end

--- Takes what a server reported by itself.
local function on_publish(id, report)
  local client = vim.lsp.get_client_by_id(id)
  local server = servers[id]
  if not client or not server or M.reports_on_request(client) then
    return
  end
  local document = server.documents[sent.path(report.uri)]
  local version = report.version ~= vim.NIL and report.version or nil
  server.numbering, server.spoke = server.numbering or version ~= nil, true
  if not document then
    return
  elseif version ~= nil and version ~= document.version then
    return
  elseif version == nil and server.numbering and document.version ~= 0 then
    return
  elseif version == nil and document.clearing and #report.diagnostics == 0 then
    document.clearing = false
    return
  end
  M.take_report(client, document)
end

--- Notes what a client tells its server.
---@param client vim.lsp.Client
---@param server claudecode.LanguageServer
---@return boolean again Whether its text has to be sent once more, as a new version
local function note(client, server, method, params)
  local path = sent.path(params.textDocument.uri)
  local document, again = sent.note[method](server.documents[path], params, function(closed)
    -- A reload opens it again at once; what stays closed is forgotten.
    if servers[client.id] == server and server.documents[path] == closed then
      server.documents[path] = nil
    end
  end)
  server.documents[path] = document
  return again == true
end

--- Sends the text of a document once more.
local function send_again(client, server, params)
  local uri = params.textDocument.uri
  sent.again(client, server.documents[sent.path(uri)], uri)
end

--- Lets what is told to a server within this editor pass through here: it may report before it was
--- told to the end, which is when the autocommands come.
---@param client vim.lsp.Client
---@param server claudecode.LanguageServer
local function watch_inside(client, server)
  local rpc = client.rpc
  local own = rpc.notify
  function rpc.notify(method, params)
    local is_ours = sent.note[method] ~= nil and servers[client.id] == server
    local again = is_ours and note(client, server, method, params)
    local ok = own(method, params)
    if again then
      send_again(client, server, params)
    end
    return ok
  end
end

--- Lets a client's reports pass through here.
---@return claudecode.LanguageServer
local function watch(client)
  local server = servers[client.id]
  if server then
    return server
  end
  local is_inside = type(client.config.cmd) == "function"
  server = { documents = {}, since = vim.uv.now(), numbering = false, spoke = false, is_inside = is_inside }
  servers[client.id] = server
  local own = client.handlers
  client.handlers = setmetatable({
    [publish] = function(err, report, ...)
      local handle = own[publish] or vim.lsp.handlers[publish]
      handle(err, report, ...)
      if type(report) == "table" and type(report.uri) == "string" then
        on_publish((select(1, ...)).client_id, report)
      end
    end,
  }, { __index = own })
  if is_inside then
    watch_inside(client, server)
  end
  return server
end

--- What comes of each autocommand; see claudecode.lsp.
---@type table<string, fun(event: table)>
M.on = {}

--- Expects the text of a buffer to be sent.
function M.on.LspAttach(event)
  local client = vim.lsp.get_client_by_id(event.data.client_id)
  if not client then
    return
  end
  local known = watch(client).documents
  if vim.tbl_get(client.server_capabilities, "textDocumentSync", "openClose") then
    local path = sent.path(vim.uri_from_bufnr(event.buf))
    known[path] = known[path] or sent.new()
  end
end

--- Takes note of what a client told its server.
function M.on.LspNotify(event)
  local id, method, params = event.data.client_id, event.data.method, event.data.params
  local client = sent.note[method] and vim.lsp.get_client_by_id(id)
  if not client then
    return
  end
  local server = watch(client)
  local document = server.documents[sent.path(params.textDocument.uri)]
  -- What passed through here is known; what did not may be reported on already.
  local is_missed = server.is_inside and method == sent.methods.open and (not document or document.version < 0)
  if is_missed or not server.is_inside then
    local again = note(client, server, method, params)
    if again or is_missed and not M.reports_on_request(client) then
      send_again(client, server, params)
    end
  end
  M.tell_listeners()
end

function M.on.LspDetach(event)
  local id = event.data.client_id
  vim.schedule(function()
    if not vim.lsp.get_client_by_id(id) then
      servers[id] = nil
    end
    M.tell_listeners()
  end)
end

--- The clients of a buffer, also those that are still starting.
---@param buf integer
---@return vim.lsp.Client[]
function M.of(buf)
  return lsp.clients({ bufnr = buf, _uninitialized = true })
end

---@class claudecode.Missing A report that has yet to come
---@field client vim.lsp.Client
---@field document? claudecode.Document nil while the server is starting
---@field buf integer

--- Whether a server says that it is at work.
local function is_busy(client)
  return client.progress ~= nil and next(client.progress.pending or {}) ~= nil
end

--- Whether a text has no report and still may get one.
---@param server claudecode.LanguageServer
---@param document claudecode.Document
local function is_due(client, server, document, changed_only)
  if document.reported or changed_only and not document.changed then
    return false
  end
  local silent_since = server.spoke and document.sent_at or server.since
  return vim.uv.now() - silent_since < M.patience_ms or not server.spoke and is_busy(client)
end

--- The reports that have yet to come.
---@param bufs integer[]
---@param changed_only boolean Whether a text that was only opened so far needs none
---@return claudecode.Missing[]
function M.missing(bufs, changed_only)
  local found = {}
  for _, buf in ipairs(bufs) do
    local path = api.nvim_buf_is_valid(buf) and sent.path(vim.uri_from_bufnr(buf))
    for _, client in ipairs(path and M.of(buf) or {}) do
      local server = servers[client.id]
      local document = server and server.documents[path]
      local starting = not server and not changed_only
      if starting or document and is_due(client, server, document, changed_only) then
        table.insert(found, { client = client, document = document, buf = buf })
      end
    end
  end
  return found
end

--- Tells servers that texts are on disk which this editor did not write there. Some check a text
--- only then, or check more.
---@param bufs integer[]
function M.tell_saved(bufs)
  for _, buf in ipairs(bufs) do
    local uri = api.nvim_buf_is_valid(buf) and not vim.bo[buf].modified and vim.uri_from_bufnr(buf)
    for _, client in ipairs(uri and lsp.clients({ bufnr = buf }) or {}) do
      local document = vim.tbl_get(servers, client.id, "documents", sent.path(uri))
      local wanted = vim.tbl_get(client.server_capabilities, "textDocumentSync", "save")
      if wanted and document and document.changed and not document.saved then
        document.saved = true
        M.call(client, "notify", sent.methods.save, {
          textDocument = { uri = uri },
          text = type(wanted) == "table" and wanted.includeText and sent.text(buf) or nil,
        })
      end
    end
  end
end

vim.iter(lsp.clients()):each(watch)

return M
