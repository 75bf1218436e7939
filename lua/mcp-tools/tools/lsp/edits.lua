--- Edits of servers as texts of files, in parts: nothing is written, no buffer is touched.
--- LSP 3.17, "WorkspaceEdit"; 3.18, "SnippetTextEdit".

local files = require("mcp-tools.files")
local indexed = require("mcp-tools.tools.lsp.indexed")
local lines = require("mcp-tools.lines")
local names = require("mcp-tools.tools.lsp.names")
local position = require("claudecode.position")
local snippet = require("mcp-tools.tools.lsp.snippet")
local sort = require("mcp-tools.tools.lsp.sort")
local texts = require("mcp-tools.tools.lsp.texts")

local M = {}

---@class (exact) mcp_tools.lsp.Draft A file as it is to become
---@field path string
---@field source string Where its text is now
---@field exists boolean
---@field text? mcp_tools.Text nil until it was needed
---@field before? mcp_tools.Text The text that it has now
---@field create? boolean
---@field delete? boolean
---@field from? string The file that is renamed

---@class (exact) mcp_tools.lsp.Edit The edit of one server
---@field call mcp_tools.WaitingCall
---@field client vim.lsp.Client
---@field bufs table<string, integer>
---@field folders { old: string, new: string }[] That are renamed
---@field ticks table<integer, integer> Of the buffers, when the server was asked
---@field drafts table<string, mcp_tools.lsp.Draft>
---@field order mcp_tools.lsp.Draft[]

--- The path of a file that a server wants to change.
local function path_of(edit, uri)
  if not vim.startswith(uri, "file://") then
    edit.call:fail(("%s wants to change %s, which is no file"):format(edit.client.name, uri))
  end
  return vim.uri_to_fname(uri)
end

--- Where a file is before the folders are renamed.
local function source_of(edit, path)
  for i = #edit.folders, 1, -1 do
    local folder = edit.folders[i]
    if vim.startswith(path, folder.new .. "/") then
      path = folder.old .. path:sub(#folder.new + 1)
    end
  end
  return path
end

local function draft_of(edit, path)
  local draft = edit.drafts[path]
  if not draft then
    local source = source_of(edit, path)
    local exists = edit.bufs[source] ~= nil or vim.uv.fs_stat(source) ~= nil
    draft = { path = path, source = source, exists = exists }
    edit.drafts[path] = draft
    table.insert(edit.order, draft)
  end
  return draft
end

--- The text of a draft as it is so far.
---@return mcp_tools.Text
local function text_of(edit, draft)
  if not draft.text then
    if not draft.exists then
      edit.call:fail(("%s wants to change %s, which is not there"):format(edit.client.name, names.path(draft.path)))
    end
    local base, err = files.base(draft.source, "parts")
    if not base then
      edit.call:fail(err)
    end
    draft.text, draft.before = base.parts, base.parts
    edit.call:pause()
  end
  return draft.text
end

--- The place of a position in a text, from 1. Behind the last line is the end.
---@param text mcp_tools.lsp.Indexed
local function offset(text, at, encoding)
  local start, line = text:line(at.line)
  return start and start + position.from_units(line, at.character, encoding) or text.size + 1
end

--- Whether a piece comes first. Those that insert come before one that replaces what is there.
local function is_before(a, b)
  if a.first ~= b.first then
    return a.first < b.first
  elseif a.behind ~= b.behind then
    return a.behind < b.behind
  end
  return a.order < b.order
end

local function new_text(text_edit)
  local text = text_edit.newText or text_edit.snippet.value
  if text_edit.snippet or text_edit.insertTextFormat == 2 then
    text = snippet.plain(text)
  end
  return (text:gsub("\r\n?", "\n"))
end

--- Applies text edits, whose positions are all those of the text as it is.
---@param edit mcp_tools.lsp.Edit
---@param draft mcp_tools.lsp.Draft
---@param text_edits table[]
local function apply(edit, draft, text_edits)
  local call, text = edit.call, indexed.new(edit.call, text_of(edit, draft))
  local list = {}
  for order, text_edit in ipairs(text_edits) do
    local range, encoding = text_edit.range, edit.client.offset_encoding
    local piece = { first = offset(text, range.start, encoding), order = order, text = new_text(text_edit) }
    piece.behind = offset(text, range["end"], encoding)
    table.insert(list, piece)
    call:pause()
  end
  local parts, at = {}, 1
  for _, piece in ipairs(sort.stable(call, list, is_before)) do
    if piece.first < at or piece.behind < piece.first then
      call:fail(("The edits of %s in %s overlap"):format(edit.client.name, names.path(draft.path)))
    end
    text:copy(parts, at, piece.first - 1, call)
    table.insert(parts, piece.text ~= "" and piece.text or nil)
    at = piece.behind
    call:pause()
  end
  text:copy(parts, at, text.size, call)
  draft.text = parts
end

--- Whether the buffer of a file has another text than the server knew.
local function is_stale(edit, path, version)
  local buf = edit.bufs[path]
  if not buf then
    return false
  end
  local known = vim.lsp.util.buf_versions[buf]
  local old_version = type(version) == "number" and known ~= nil and version < known
  return old_version or edit.ticks[buf] ~= vim.api.nvim_buf_get_changedtick(buf)
end

local function edit_text(edit, uri, text_edits, version)
  local draft = draft_of(edit, path_of(edit, uri))
  text_of(edit, draft)
  if is_stale(edit, draft.source, version) then
    local name = names.path(draft.path)
    edit.call:fail(("%s was changed since %s looked at it: ask again"):format(name, edit.client.name))
  end
  apply(edit, draft, text_edits)
end

--- Makes a draft one of a file that is new.
local function set_there(draft, text)
  draft.exists, draft.delete = true, nil
  draft.create, draft.text = true, text
end

local resource = {}

function resource.create(edit, change)
  local draft = draft_of(edit, path_of(edit, change.uri))
  local options = change.options or {}
  if not draft.exists or options.overwrite then
    set_there(draft, {})
  elseif not options.ignoreIfExists then
    edit.call:fail(("%s wants to create %s, which is there"):format(edit.client.name, names.path(draft.path)))
  end
end

function resource.rename(edit, change)
  local old = draft_of(edit, path_of(edit, change.oldUri))
  local new = draft_of(edit, path_of(edit, change.newUri))
  local options = change.options or {}
  if new.exists and not options.overwrite then
    if options.ignoreIfExists then
      return
    end
    edit.call:fail(("%s wants to rename to %s, which is there"):format(edit.client.name, names.path(new.path)))
  elseif not old.exists then
    edit.call:fail(("%s wants to rename %s, which is not there"):format(edit.client.name, names.path(old.path)))
  end
  local is_folder = vim.fn.isdirectory(old.source) == 1
  set_there(new, not is_folder and text_of(edit, old) or nil)
  if is_folder then
    table.insert(edit.folders, { old = old.path, new = new.path })
  end
  new.create, new.from, new.before = old.create, not old.create and (old.from or old.path) or nil, old.before
  old.exists, old.text, old.create, old.from, old.before = false, nil, nil, nil, nil
end

function resource.delete(edit, change)
  local draft = draft_of(edit, path_of(edit, change.uri))
  local options = change.options or {}
  if not draft.exists and not options.ignoreIfNotExists then
    edit.call:fail(("%s wants to delete %s, which is not there"):format(edit.client.name, names.path(draft.path)))
  elseif draft.exists and vim.fn.isdirectory(draft.path) == 1 and not options.recursive then
    edit.call:fail(("%s wants to delete the folder %s"):format(edit.client.name, names.path(draft.path)))
  end
  draft.delete = draft.exists and not draft.create or nil
  draft.exists, draft.text, draft.create = false, nil, nil
end

--- Whether a draft has another text than its file.
---@param draft mcp_tools.lsp.Draft
local function is_edited(draft)
  local text, before = draft.text, draft.before
  return text ~= before and not (text and before and lines.same(text, before))
end

--- The changes that drafts are, as mcp-tools.review takes them: texts first, where the files are
--- now, so that the user sees what is changed in them; a renaming may need room that a deletion makes.
---@param order mcp_tools.lsp.Draft[]
---@return mcp_tools.Change[]
local function changes_of(order)
  local texts_changed, deleted, renamed = {}, {}, {}
  for _, draft in ipairs(order) do
    if draft.delete then
      table.insert(deleted, { path = draft.source, delete = true })
    end
    if draft.exists and is_edited(draft) then
      local path = draft.from or draft.source
      table.insert(texts_changed, { path = path, text = draft.text, base = draft.before })
    end
    if draft.from then
      table.insert(renamed, { path = draft.from, rename_to = draft.path })
    end
  end
  return vim.list_extend(vim.list_extend(texts_changed, deleted), renamed)
end

--- The change ticks of all loaded buffers, to be kept when a server is asked for an edit.
---@return table<integer, integer>
function M.ticks()
  local ticks = {}
  for _, buf in pairs(texts.buffers()) do
    ticks[buf] = vim.api.nvim_buf_get_changedtick(buf)
  end
  return ticks
end

--- The changes that an edit of a server makes.
---@param call mcp_tools.WaitingCall
---@param client vim.lsp.Client
---@param workspace_edit lsp.WorkspaceEdit
---@param ticks table<integer, integer> From ticks()
---@return mcp_tools.Change[]
function M.changes(call, client, workspace_edit, ticks)
  local edit = {
    call = call,
    client = client,
    bufs = texts.buffers(),
    folders = {},
    ticks = ticks,
    drafts = {},
    order = {},
  }
  for _, change in ipairs(workspace_edit.documentChanges or {}) do
    if change.kind then
      resource[change.kind](edit, change)
    else
      edit_text(edit, change.textDocument.uri, change.edits, change.textDocument.version)
    end
    call:pause()
  end
  -- A client that takes documentChanges is not to apply both.
  for uri, text_edits in vim.spairs(workspace_edit.documentChanges and {} or workspace_edit.changes or {}) do
    edit_text(edit, uri, text_edits)
  end
  return changes_of(edit.order)
end

return M
