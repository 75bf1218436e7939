--- getDiagnostics: what language servers and linters say about one file, or all that are open.
---
--- Claude asks right after it wrote a file. The answer is about that text, or it is an error: an old
--- list, or an empty one, would be taken for the truth.

local tools = require("claudecode.tools")
local disk = require("claudecode.disk")
local language_servers = require("claudecode.language_servers")
local paths = require("claudecode.paths")

--- How long callers wait, for one file and for all, and how long before that the answer must be on
--- its way.
local default_ms = { one = 400, all = 1800 }
local margin_ms = 40

local tool ---@type mcp_tools.Tool

local severities = { "Error", "Warning", "Info", "Hint" }

--- A code as a string. tostring() would round a number of more than 14 digits.
local function code_of(diagnostic)
  local code = diagnostic.code
  if code == nil or code == vim.NIL then
    return nil
  end
  return type(code) == "number" and require("mcp-tools.json").encode(code) or tostring(code)
end

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
    code = code_of(diagnostic),
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

--- The buffer that a URI names.
---@return integer? buf
---@return string? path That no buffer has
local function buffer_of(uri)
  local candidates = paths.from_uri(uri)
  for _, path in ipairs(candidates) do
    local buf = paths.find_buffer(path)
    if buf then
      return buf
    end
  end
  for _, path in ipairs(candidates) do
    local buf = require("claudecode.background").load(path)
    if buf then
      return buf
    end
  end
  return nil, candidates[1]
end

local function not_ready(data)
  return { code = -32000, message = "Diagnostics not ready", data = data }
end

--- Reads again what changed on disk.
---@return string? err
local function reload(bufs)
  for _, buf in ipairs(bufs) do
    local err = disk.reload(buf)
    if err then
      return ("%s cannot be read again: %s"):format(vim.api.nvim_buf_get_name(buf), err)
    end
  end
end

local function has_clients(bufs)
  return vim.iter(bufs):any(function(buf)
    return #language_servers.of(buf) > 0
  end)
end

tool = {
  name = "getDiagnostics",
  description = "Get language diagnostics (errors, warnings) of a file, or of all files that are open in the editor",
  input_schema = tools.schema({
    uri = {
      type = "string",
      description = "URI or path of the file to get diagnostics for; without it, all files are reported",
    },
  }),
  ide = true,
  execute = function(cb, args, ctx)
    if args.uri ~= nil and type(args.uri) ~= "string" then
      return cb(nil, { code = -32602, message = "Invalid params", data = "uri must be a string" })
    end
    local one, missing
    if (args.uri or "") ~= "" then
      one, missing = buffer_of(args.uri)
    end
    if missing then
      local data = "File must be open to retrieve diagnostics: " .. missing
      return cb(nil, { code = -32001, message = "File not open", data = data })
    end
    local bufs = one and { one } or disk.buffers()
    local err = reload(bufs)
    if err then
      return cb(nil, not_ready(err))
    end
    local function answer(problem)
      if problem then
        return cb(nil, not_ready(problem))
      end
      cb(tools.json(group(vim.diagnostic.get(one))))
    end
    if not has_clients(bufs) then
      return answer()
    end
    local wait_ms = ctx.remaining_ms or tool.timeout or (one and default_ms.one or default_ms.all)
    -- What the servers were sent just now is known one turn later.
    vim.schedule(function()
      if ctx.cancelled() then
        return
      end
      language_servers.tell_saved(bufs)
      require("claudecode.reports").wait(bufs, {
        changed_only = not one,
        timeout_ms = wait_ms - margin_ms,
        on_cancel = ctx.on_cancel,
      }, answer)
    end)
  end,
}

return tool
