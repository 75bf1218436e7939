--- Which language servers have reported on the text that a buffer has now.
---
--- A report belongs to a text by the document's version. Neovim numbers a document that it reloads
--- as before, so such a text is sent once more under a number of its own. A server that numbers no
--- report is taken at its word, but for the empty one that it may send because the document was closed.

local lsp = require("claudecode.lsp")

local M = {}

local api = vim.api

local publish = "textDocument/publishDiagnostics"
local pull = "textDocument/diagnostic"
local methods = { open = "textDocument/didOpen", change = "textDocument/didChange", close = "textDocument/didClose" }

--- How long a text without a report counts as one that will get one. Some servers keep silent about
--- files that are not theirs, and some clients are no checkers at all.
M.patience_ms = 60000

---@class claudecode.Document A text that a server was sent
---@field version integer -1 before it was sent
---@field sent_at integer vim.uv.now()
---@field changed boolean Whether it is another text than that of the first open
---@field reported boolean
---@field clearing boolean Whether an empty report may only say that the document was closed
---@field closed boolean
---@field asked? boolean Whether a report was asked for

local documents = {} ---@type table<integer, table<string, claudecode.Document>> by client and path
local numbering = {} ---@type table<integer, boolean> clients whose reports carry versions
local watched = {} ---@type table<integer, true> clients that have started, whose reports pass through here
local waiting = {} ---@type table<fun(), true>

local is_0_11 = vim.fn.has("nvim-0.11") == 1

--- Calls a method of a client, which took itself as an argument only later.
local function call(client, name, ...)
  if is_0_11 then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- Whether the server reports when it is asked, not by itself.
local function reports_on_request(client)
  return call(client, "supports_method", pull)
end

local function path_of(uri)
  local ok, path = pcall(vim.uri_to_fname, uri)
  return ok and path or uri
end

local function tell_waiting()
  for _, check in ipairs(vim.tbl_keys(waiting)) do
    check()
  end
end

--- Takes what a server reported by itself.
local function on_publish(id, report)
  local client = vim.lsp.get_client_by_id(id)
  if not client or reports_on_request(client) then
    return
  end
  local document = documents[id] and documents[id][path_of(report.uri)]
  local version = report.version ~= vim.NIL and report.version or nil
  numbering[id] = numbering[id] or version ~= nil
  if not document then
    return
  elseif version ~= nil and version ~= document.version then
    return
  elseif version == nil and numbering[id] and document.version ~= 0 then
    return
  elseif version == nil and document.clearing and #report.diagnostics == 0 then
    document.clearing = false
    return
  end
  document.reported = true
  tell_waiting()
end

--- Lets a client's reports pass through here.
local function watch(client)
  if watched[client.id] then
    return
  end
  watched[client.id] = true
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
end

--- Sends the text of a document once more, as a new version.
local function renumber(client, document, uri)
  local sync = client.server_capabilities.textDocumentSync
  local buf = vim.uri_to_bufnr(uri)
  if type(sync) == "table" and (sync.change or 0) == 0 or not api.nvim_buf_is_loaded(buf) then
    return
  end
  local eol = ({ dos = "\r\n", mac = "\r" })[vim.bo[buf].fileformat] or "\n"
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), eol) .. (vim.bo[buf].eol and eol or "")
  document.version = math.max(api.nvim_buf_get_changedtick(buf), document.version + 1)
  vim.lsp.util.buf_versions[buf] = document.version
  call(client, "notify", methods.change, {
    textDocument = { uri = uri, version = document.version },
    contentChanges = { { text = text } },
  })
end

local function new_document()
  return { version = -1, sent_at = vim.uv.now(), changed = false, clearing = false, reported = false, closed = false }
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

sent[methods.close] = function(client, document, params)
  if document then
    document.closed = true
    -- A reload opens it again at once; what stays closed is forgotten.
    vim.schedule(function()
      local path = path_of(params.textDocument.uri)
      local of_client = documents[client.id]
      if of_client and of_client[path] == document then
        of_client[path] = nil
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
  watch(client)
  local of_client = documents[client.id] or {}
  documents[client.id] = of_client
  if vim.tbl_get(client.server_capabilities, "textDocumentSync", "openClose") then
    local path = path_of(vim.uri_from_bufnr(event.buf))
    of_client[path] = of_client[path] or new_document()
  end
end

--- Takes note of what a client told its server.
local function on_notify(event)
  local id, method, params = event.data.client_id, event.data.method, event.data.params
  local client = sent[method] and vim.lsp.get_client_by_id(id)
  if not client then
    return
  end
  watch(client)
  documents[id] = documents[id] or {}
  local path = path_of(params.textDocument.uri)
  documents[id][path] = sent[method](client, documents[id][path], params)
  tell_waiting()
end

local function forget(event)
  local id = event.data.client_id
  vim.schedule(function()
    if not vim.lsp.get_client_by_id(id) then
      documents[id], numbering[id], watched[id] = nil, nil, nil
    end
    tell_waiting()
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

--- The clients of a buffer, those among them that are still starting.
---@param buf integer
---@return vim.lsp.Client[]
function M.of(buf)
  return lsp.clients({ bufnr = buf, _uninitialized = true })
end

---@class claudecode.Missing A report that has yet to come
---@field client vim.lsp.Client
---@field document? claudecode.Document nil while the server is starting
---@field buf integer

--- Whether a text has no report and still may get one.
---@param document claudecode.Document
local function is_due(document, changed_only)
  return not document.reported
    and (document.changed or not changed_only)
    and vim.uv.now() - document.sent_at < M.patience_ms
end

--- The reports that have yet to come.
---@param bufs integer[]
---@param changed_only boolean Whether a text that was only opened so far needs none
---@return claudecode.Missing[]
local function missing(bufs, changed_only)
  local found = {}
  for _, buf in ipairs(bufs) do
    local path = api.nvim_buf_is_valid(buf) and path_of(vim.uri_from_bufnr(buf))
    for _, client in ipairs(path and M.of(buf) or {}) do
      local document = documents[client.id] and documents[client.id][path]
      local starting = not watched[client.id] and not changed_only
      if starting or document and is_due(document, changed_only) then
        table.insert(found, { client = client, document = document, buf = buf })
      end
    end
  end
  return found
end

--- Asks a server that reports on request, once for each text.
local function ask(report)
  local client, document, buf = report.client, report.document, report.buf
  if not document or document.asked then
    return
  end
  document.asked = true
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  local provider = client.server_capabilities.diagnosticProvider
  params.identifier = type(provider) == "table" and provider.identifier or nil
  call(client, "request", pull, params, function(err, result, ctx, config)
    if err then
      -- The server was busy with another text; whoever still waits asks again.
      document.asked = false
      vim.defer_fn(tell_waiting, 50)
      return
    end
    local handle = client.handlers[pull] or vim.lsp.handlers[pull]
    handle(err, result, ctx, config)
    document.reported = true
    tell_waiting()
  end, buf)
end

--- Waits until the language servers have reported on the text that the buffers have now.
---@param bufs integer[]
---@param opts { changed_only: boolean, timeout_ms: integer, on_cancel: fun(f: fun()) }
---@param done fun(silent: string?) Called once, unless it is cancelled, with who did not report in time
function M.wait(bufs, opts, done)
  local timer = assert(vim.uv.new_timer())
  local check
  local function stop()
    waiting[check] = nil
    if not timer:is_closing() then
      timer:close()
    end
  end
  function check()
    local reports = missing(bufs, opts.changed_only)
    if #reports == 0 and waiting[check] then
      stop()
      return done()
    end
    for _, report in ipairs(reports) do
      if reports_on_request(report.client) then
        ask(report)
      end
    end
  end
  waiting[check] = true
  opts.on_cancel(stop)
  timer:start(
    math.max(opts.timeout_ms, 0),
    0,
    vim.schedule_wrap(function()
      if waiting[check] then
        local report = missing(bufs, opts.changed_only)[1]
        stop()
        done(report and report.client.name)
      end
    end)
  )
  check()
end

return M
