--- diagnostics_list: what language servers and linters say about a buffer, all buffers, or all files
--- that they know. Waits for servers that have yet to report on the text as it is, as long as asked.

local buffers = require("mcp-tools.buffers")
local calls = require("mcp-tools.call")
local disk = require("claudecode.disk")
local documents = require("claudecode.documents")
local locations = require("mcp-tools.tools.lsp.locations")
local names = require("mcp-tools.tools.lsp.names")
local servers = require("mcp-tools.tools.lsp.servers")
local sort = require("mcp-tools.tools.lsp.sort")
local target = require("mcp-tools.tools.lsp.target")
local texts = require("mcp-tools.tools.lsp.texts")
local touches = require("mcp-tools.permissions.touches")

local severity_names = { "ERROR", "WARN", "INFO", "HINT" }

local severities = { error = 1, warn = 2, warning = 2, info = 3, information = 3, hint = 4 }

--- How long servers may be waited for at most, in milliseconds.
local max_wait_ms = 60000

--- The severities in a text such as "error" or "error, warn"; nil for all.
local function wanted_severities(call, args)
  local text = target.text(call, args, "severity")
  if not text then
    return nil
  end
  local wanted = {}
  for word in text:gmatch("[^,%s]+") do
    local severity = severities[word:lower()]
    if not severity then
      call:fail(("There is no severity %q: it is error, warn, info or hint, or several of them"):format(word))
    end
    wanted[severity] = true
  end
  return wanted
end

--- A diagnostic of a buffer, as it is listed.
local function entry_of(path, diagnostic)
  return {
    path = path,
    lnum = diagnostic.lnum + 1,
    col = diagnostic.col + 1,
    end_lnum = (diagnostic.end_lnum or diagnostic.lnum) + 1,
    end_col = (diagnostic.end_col or diagnostic.col) + 1,
    severity = severity_names[diagnostic.severity or 1],
    message = diagnostic.message,
    source = diagnostic.source,
    code = documents.code_of(diagnostic),
  }
end

---@class (exact) mcp_tools.DiagnosticList
---@field call mcp_tools.WaitingCall
---@field limit integer
---@field wanted? table<integer, true>
---@field entries table[]
---@field seen table<string, true>
---@field more integer

--- Adds a diagnostic unless it is there already: a server may report one by itself and when asked.
---@param list mcp_tools.DiagnosticList
local function add(list, path, diagnostic)
  list.call:pause()
  if list.wanted and not list.wanted[diagnostic.severity or 1] then
    return
  end
  local d = diagnostic
  local key = table.concat({ path, d.lnum, d.col, d.severity or 1, d.source or "", d.message }, "\0")
  if list.seen[key] then
    return
  end
  list.seen[key] = true
  if #list.entries < list.limit then
    table.insert(list.entries, entry_of(path, d))
  else
    list.more = list.more + 1
  end
end

--- Adds what Neovim knows of a buffer, or of all, in the order of the texts.
local function add_known(list, one, loaded_only)
  local paths = {} ---@type table<integer, string|false> by buffer
  local function path_of(buf)
    if paths[buf] == nil then
      local is_meant = vim.api.nvim_buf_is_valid(buf) and not (loaded_only and not vim.api.nvim_buf_is_loaded(buf))
      paths[buf] = is_meant and not buffers.withheld(buf) and names.buffer(buf)
    end
    return paths[buf]
  end
  local known = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(one)) do
    if path_of(diagnostic.bufnr) then
      table.insert(known, diagnostic)
    end
    list.call:pause()
  end
  known = sort.stable(list.call, known, function(a, b)
    if a.bufnr ~= b.bufnr then
      return paths[a.bufnr] < paths[b.bufnr]
    end
    return a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col
  end)
  for _, diagnostic in ipairs(known) do
    add(list, paths[diagnostic.bufnr], diagnostic)
  end
end

--- What a server reported on a file that no buffer has, in bytes.
local function from_server(reader, path, item, encoding)
  local first, last = item.range.start, item.range["end"]
  return {
    lnum = first.line,
    col = reader:column(path, first, encoding) - 1,
    end_lnum = last.line,
    end_col = reader:column(path, last, encoding) - 1,
    severity = item.severity,
    message = item.message,
    source = item.source,
    code = item.code,
  }
end

--- Adds what servers say about their whole workspace when they are asked.
local function add_workspace(list)
  local call = list.call
  local questions = {}
  for _, client in ipairs(servers.started(call)) do
    if servers.supports(client, "workspace/diagnostic") then
      local provider = client.server_capabilities.diagnosticProvider or {}
      local params = { identifier = provider.identifier, previousResultIds = {} }
      table.insert(questions, { client = client, params = params })
    end
  end
  if #questions == 0 then
    return
  end
  local reader = texts.reader(call)
  for _, answer in ipairs(servers.ask(call, "workspace/diagnostic", nil, questions)) do
    for _, report in ipairs(answer.result.items or {}) do
      local path = names.of_uri(report.uri)
      local is_told = not reader.bufs[path] and not reader:withholds(path)
      for _, item in ipairs(is_told and report.items or {}) do
        add(list, names.path(path), from_server(reader, path, item, answer.client.offset_encoding))
      end
    end
  end
end

--- Waits for the servers of the buffers, or says whose reports are not there yet.
local function await_reports(call, bufs, wait_ms, changed_only)
  local problem = call:await(function(resume)
    local forget
    local opts = {
      changed_only = changed_only,
      timeout_ms = math.min(wait_ms, call:left_ms()),
      on_cancel = function(f)
        forget = call:on_stop(f)
      end,
      cancelled = function()
        return call.ended
      end,
    }
    documents.await_reports(bufs, opts, function(problem)
      if forget then
        forget()
      end
      resume(problem)
    end)
  end)
  if problem and wait_ms > 0 then
    call:fail("Diagnostics not ready: " .. problem)
  elseif problem then
    call:note(problem .. ": these may be of an older text; ask with wait_ms")
  end
end

local scopes = { buffer = true, all = true, workspace = true }

---@param call mcp_tools.WaitingCall
local function run(call, args)
  local scope = args.scope or "buffer"
  if not scopes[scope] then
    call:fail(("There is no scope %s: it is buffer, all or workspace"):format(vim.inspect(scope)))
  end
  local list = {
    call = call,
    limit = locations.limit(call, args),
    wanted = wanted_severities(call, args),
    entries = {},
    seen = {},
    more = 0,
  }
  local wait_ms = math.min(target.integer(call, args, "wait_ms", 0) or 0, max_wait_ms)
  local one = scope == "buffer" and target.buffer(call, args) or nil
  local bufs = one and { one } or disk.buffers()
  local problem = documents.reload(bufs)
  if problem then
    call:fail("Diagnostics not ready: " .. problem)
  end
  await_reports(call, bufs, wait_ms, not one)
  add_known(list, one, scope == "all")
  if scope == "workspace" then
    add_workspace(list)
  end
  locations.note_more(call, list.more, list.limit)
  return list.entries
end

local tool = {
  name = "diagnostics_list",
  description = "List errors, warnings and hints of language servers and linters, for a file or all of them."
    .. " Lines and columns count from 1, columns in bytes",
  args = vim.tbl_extend("error", target.buffer_args, {
    limit = locations.limit_arg,
    severity = { type = "string", description = "error, warn, info or hint, or several with commas (default: all)" },
    scope = {
      type = "string",
      enum = { "buffer", "all", "workspace" },
      description = "One buffer (default), all that are open, or also files that nobody opened",
    },
    wait_ms = {
      type = "number",
      description = "How long to wait for servers that have yet to report on the current text, such as after an edit;"
        .. " an error if they do not (default: 0)",
    },
  }),
  paths = function(args)
    return (args.scope or "buffer") ~= "buffer" and touches.every_diagnosed() or nil
  end,
  annotations = { readOnlyHint = true, openWorldHint = false },
  timeout = max_wait_ms + 10000,
}

-- What servers are sent, and report, is followed from now on, not only once a client is served.
require("claudecode.lsp").follow()

return { calls.tool(tool, run) }
