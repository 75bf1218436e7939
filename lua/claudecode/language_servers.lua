--- Which language servers have reported on the text that a buffer has now.
---
--- A report belongs to a text by the document's version. Neovim numbers a document that it reloads
--- as before, so such a text is sent once more under a number of its own. A server that numbers no
--- report is taken at its word, but for the empty one that it may send because the document was closed.

local lsp = require("claudecode.lsp")

local M = {}

local api = vim.api

local publish = "textDocument/publishDiagnostics"
M.pull = "textDocument/diagnostic"
local methods = {
  open = "textDocument/didOpen",
  change = "textDocument/didChange",
  save = "textDocument/didSave",
  close = "textDocument/didClose",
}

--- How long a text without a report counts as one that will get one, and a server that never
--- reported as one that will. Some keep silent about files that are not theirs, and some are no
--- checkers at all.
M.patience_ms = 60000

---@class claudecode.LanguageServer A client that has started, whose reports pass through here
---@field documents table<string, claudecode.Document> by path
---@field since integer When it had started, vim.uv.now()
---@field numbering boolean Whether its reports carry versions
---@field spoke boolean Whether it ever reported

---@class claudecode.Document A text that a server was sent
---@field version integer -1 before it was sent
---@field sent_at integer vim.uv.now()
---@field changed boolean Whether it is another text than that of the first open
---@field reported boolean
---@field clearing boolean Whether an empty report may only say that the document was closed
---@field saved boolean Whether the server was told that this text is on disk
---@field asked? boolean Whether a report was asked for

local servers = {} ---@type table<integer, claudecode.LanguageServer> by client
local listeners = {} ---@type table<fun(), true>

local is_0_11 = vim.fn.has("nvim-0.11") == 1

--- Calls a method of a client, which took itself as an argument only later.
function M.call(client, name, ...)
  if is_0_11 then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- Whether the server reports when it is asked, not by itself.
---@param client vim.lsp.Client
function M.reports_on_request(client)
  return M.call(client, "supports_method", M.pull)
end

local function path_of(uri)
  local ok, path = pcall(vim.uri_to_fname, uri)
  return ok and path or uri
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
  local document = server.documents[path_of(report.uri)]
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

--- Lets a client's reports pass through here.
---@return claudecode.LanguageServer
local function watch(client)
  local server = servers[client.id]
  if server then
    return server
  end
  server = { documents = {}, since = vim.uv.now(), numbering = false, spoke = false }
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
  return server
end

--- The text of a buffer as it is on disk.
local function text_of(buf)
  local eol = ({ dos = "\r\n", mac = "\r" })[vim.bo[buf].fileformat] or "\n"
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), eol) .. (vim.bo[buf].eol and eol or "")
end

--- Sends the text of a document once more, as a new version.
local function renumber(client, document, uri)
  local sync = client.server_capabilities.textDocumentSync
  local buf = vim.uri_to_bufnr(uri)
  if type(sync) == "table" and (sync.change or 0) == 0 or not api.nvim_buf_is_loaded(buf) then
    return
  end
  document.version = math.max(api.nvim_buf_get_changedtick(buf), document.version + 1)
  vim.lsp.util.buf_versions[buf] = document.version
  M.call(client, "notify", methods.change, {
    textDocument = { uri = uri, version = document.version },
    contentChanges = { { text = text_of(buf) } },
  })
end

local function new_document()
  return {
    version = -1,
    sent_at = vim.uv.now(),
    changed = false,
    clearing = false,
    reported = false,
    saved = false,
  }
end

local sent = {}

sent[methods.open] = function(client, document, params)
  local version = params.textDocument.version
  local again = document ~= nil and document.version >= 0
  local new = new_document()
  new.version, new.changed, new.clearing = version, again, again
  if again and version <= document.version then
    new.version = document.version
    renumber(client, new, params.textDocument.uri)
  end
  return new
end

sent[methods.change] = function(_, document, params)
  local new = new_document()
  new.version, new.changed = params.textDocument.version, true
  new.clearing = document ~= nil and document.clearing
  return new
end

sent[methods.save] = function(_, document)
  if document then
    document.saved = true
  end
  return document
end

sent[methods.close] = function(client, document, params)
  if document then
    -- A reload opens it again at once; what stays closed is forgotten.
    vim.schedule(function()
      local path = path_of(params.textDocument.uri)
      local server = servers[client.id]
      if server and server.documents[path] == document then
        server.documents[path] = nil
      end
    end)
  end
  return document
end

--- Expects the text of a buffer to be sent.
local function on_attach(event)
  local client = vim.lsp.get_client_by_id(event.data.client_id)
  if not client then
    return
  end
  local known = watch(client).documents
  if vim.tbl_get(client.server_capabilities, "textDocumentSync", "openClose") then
    local path = path_of(vim.uri_from_bufnr(event.buf))
    known[path] = known[path] or new_document()
  end
end

--- Takes note of what a client told its server.
local function on_notify(event)
  local id, method, params = event.data.client_id, event.data.method, event.data.params
  local client = sent[method] and vim.lsp.get_client_by_id(id)
  if not client then
    return
  end
  local known = watch(client).documents
  local path = path_of(params.textDocument.uri)
  known[path] = sent[method](client, known[path], params)
  M.tell_listeners()
end

local function forget(event)
  local id = event.data.client_id
  vim.schedule(function()
    if not vim.lsp.get_client_by_id(id) then
      servers[id] = nil
    end
    M.tell_listeners()
  end)
end

--- Follows the language servers from now on.
function M.setup()
  vim.iter(lsp.clients()):each(watch)
  local group = api.nvim_create_augroup("ClaudeCodeLanguageServers", {})
  api.nvim_create_autocmd("LspNotify", { group = group, callback = on_notify })
  api.nvim_create_autocmd("LspDetach", { group = group, callback = forget })
  api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = on_attach,
  })
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
    local path = api.nvim_buf_is_valid(buf) and path_of(vim.uri_from_bufnr(buf))
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
      local document = vim.tbl_get(servers, client.id, "documents", path_of(uri))
      local wanted = vim.tbl_get(client.server_capabilities, "textDocumentSync", "save")
      if wanted and document and document.changed and not document.saved then
        document.saved = true
        M.call(client, "notify", methods.save, {
          textDocument = { uri = uri },
          text = type(wanted) == "table" and wanted.includeText and text_of(buf) or nil,
        })
      end
    end
  end
end

return M
