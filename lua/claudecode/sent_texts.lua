--- Texts as language servers were sent them.

local lsp = require("claudecode.lsp")

local M = {}

local api = vim.api

M.methods = {
  open = "textDocument/didOpen",
  change = "textDocument/didChange",
  save = "textDocument/didSave",
  close = "textDocument/didClose",
}

---@class claudecode.Document A text that a server was sent
---@field version integer -1 before it was sent
---@field sent_at integer vim.uv.now()
---@field changed boolean Whether it is another text than that of the first open
---@field reported boolean
---@field clearing boolean Whether an empty report may only say that the document was closed
---@field saved boolean Whether the server was told that this text is on disk
---@field asked? boolean Whether a report was asked for

---@param uri string
---@return string
function M.path(uri)
  local ok, path = pcall(vim.uri_to_fname, uri)
  return ok and path or uri
end

--- The text of a buffer as it is on disk.
---@param buf integer
---@return string
function M.text(buf)
  local eol = ({ dos = "\r\n", mac = "\r" })[vim.bo[buf].fileformat] or "\n"
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), eol) .. (vim.bo[buf].eol and eol or "")
end

--- Sends the text of a document once more, as a new version.
---@param client vim.lsp.Client
---@param document claudecode.Document
---@param uri string
function M.again(client, document, uri)
  local sync = client.server_capabilities.textDocumentSync
  local buf = vim.uri_to_bufnr(uri)
  local kind = type(sync) == "table" and sync.change or sync
  if (type(kind) == "number" and kind or 0) == 0 or not api.nvim_buf_is_loaded(buf) then
    return
  end
  document.version = math.max(api.nvim_buf_get_changedtick(buf), document.version + 1)
  vim.lsp.util.buf_versions[buf] = document.version
  lsp.call(client, "notify", M.methods.change, {
    textDocument = { uri = uri, version = document.version },
    contentChanges = { { text = M.text(buf) } },
  })
end

---@return claudecode.Document
function M.new()
  return {
    version = -1,
    sent_at = vim.uv.now(),
    changed = false,
    clearing = false,
    reported = false,
    saved = false,
  }
end

---@alias claudecode.Closed fun(document: claudecode.Document) Called once it is clear whether it is open again
---@alias claudecode.Note fun(document?: claudecode.Document, params: table, closed: claudecode.Closed): any, boolean?

--- What becomes of a document by what a server is told, and whether its text has to be sent once more.
---@type table<string, claudecode.Note>
M.note = {}

M.note[M.methods.open] = function(document, params)
  local version = params.textDocument.version
  local again = document ~= nil and document.version >= 0
  local new = M.new()
  new.version, new.changed, new.clearing = version, again, again
  if again and version <= document.version then
    new.version = document.version
    return new, true
  end
  return new
end

M.note[M.methods.change] = function(document, params)
  local new = M.new()
  new.version, new.changed = params.textDocument.version, true
  new.clearing = document ~= nil and document.clearing
  return new
end

M.note[M.methods.save] = function(document)
  if document then
    document.saved = true
  end
  return document
end

M.note[M.methods.close] = function(document, _, closed)
  if document then
    vim.schedule(function()
      closed(document)
    end)
  end
  return document
end

return M
