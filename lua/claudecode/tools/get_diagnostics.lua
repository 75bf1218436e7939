--- getDiagnostics: what language servers and linters say about one file, or all that are open.
---
--- Claude asks right after it wrote a file. The answer is about that text, or it is an error: an old
--- list, or an empty one, would be taken for the truth.

local tools = require("claudecode.tools")
local disk = require("claudecode.disk")
local documents = require("claudecode.documents")
local paths = require("claudecode.paths")

--- How long callers wait, for one file and for all, and how long before that the answer must be on
--- its way.
local default_ms = { one = 400, all = 1800 }
local margin_ms = 40

local M = {}

--- How long a caller waits that does not say so. Internal, no option: only tests set it.
M.timeout = nil ---@type integer?

local severities = { "Error", "Warning", "Info", "Hint" }

--- Lines and columns count from 0, columns in bytes.
local function entry(diagnostic)
  return {
    message = diagnostic.message,
    severity = severities[diagnostic.severity] or "Info",
    range = {
      start = { line = diagnostic.lnum, character = diagnostic.col },
      ["end"] = {
        line = diagnostic.end_lnum or diagnostic.lnum,
        character = diagnostic.end_col or diagnostic.col + 1,
      },
    },
    source = diagnostic.source,
    code = documents.code_of(diagnostic),
  }
end

--- Groups diagnostics by file, in the order the files are met.
local function group(diagnostics)
  local files, by_buffer = {}, {}
  for _, diagnostic in ipairs(diagnostics) do
    local valid = vim.api.nvim_buf_is_valid(diagnostic.bufnr)
    local name = valid and vim.api.nvim_buf_get_name(diagnostic.bufnr) or ""
    if name ~= "" then
      local file = by_buffer[diagnostic.bufnr]
      if not file then
        file = { uri = paths.to_uri(name), diagnostics = {} }
        by_buffer[diagnostic.bufnr] = file
        table.insert(files, file)
      end
      table.insert(file.diagnostics, entry(diagnostic))
    end
  end
  return files
end

local function not_ready(data)
  return { code = -32000, message = "Diagnostics not ready", data = data }
end

function M.paths(args)
  local one = type(args.uri) == "string" and args.uri ~= ""
  return one and { args.uri } or require("mcp-tools.permissions.touches").every_diagnosed()
end

function M.execute(cb, args, ctx)
  if args.uri ~= nil and type(args.uri) ~= "string" then
    return cb(nil, { code = -32602, message = "Invalid params", data = "uri must be a string" })
  end
  local one, missing
  if (args.uri or "") ~= "" then
    one, missing = documents.buffer(args.uri)
  end
  if missing then
    local data = "File must be open to retrieve diagnostics: " .. missing
    return cb(nil, { code = -32001, message = "File not open", data = data })
  end
  local bufs = one and { one } or disk.buffers()
  local err = documents.reload(bufs)
  if err then
    return cb(nil, not_ready(err))
  end
  local function answer(problem)
    if problem then
      return cb(nil, not_ready(problem))
    end
    cb(tools.json(group(vim.diagnostic.get(one))))
  end
  local wait_ms = ctx.remaining_ms or M.timeout or (one and default_ms.one or default_ms.all)
  documents.await_reports(bufs, {
    changed_only = not one,
    timeout_ms = wait_ms - margin_ms,
    on_cancel = ctx.on_cancel,
    cancelled = ctx.cancelled,
  }, answer)
end

return M
