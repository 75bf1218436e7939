--- getDiagnostics: what language servers and linters say about one open file, or all of them.

local tools = require("claudecode.tools")
local paths = require("claudecode.paths")

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
    code = diagnostic.code ~= nil and tostring(diagnostic.code) or nil,
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
local function open_buffer(uri)
  local candidates = paths.from_uri(uri)
  for _, path in ipairs(candidates) do
    local buf = paths.find_buffer(path)
    if buf then
      return buf
    end
  end
  return nil, candidates[1]
end

return {
  name = "getDiagnostics",
  description = "Get language diagnostics (errors, warnings) of a file that is open in the editor, or of all of them",
  input_schema = tools.schema({
    uri = {
      type = "string",
      description = "URI or path of the file to get diagnostics for; without it, all files are reported",
    },
  }),
  ide = true,
  execute = function(cb, args)
    if args.uri ~= nil and type(args.uri) ~= "string" then
      return cb(nil, { code = -32602, message = "Invalid params", data = "uri must be a string" })
    end
    local buf, missing
    if (args.uri or "") ~= "" then
      buf, missing = open_buffer(args.uri)
    end
    if missing then
      local data = "File must be open to retrieve diagnostics: " .. missing
      return cb(nil, { code = -32001, message = "File not open", data = data })
    end
    cb(tools.json(group(vim.diagnostic.get(buf))))
  end,
}
