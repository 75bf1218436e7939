--- What hands a Claude the server's MCP endpoint, so that its model gets the editor's tools. The
--- token is in none of it: Claude runs a command that prints it, each time it connects.

local M = {}

--- What Claude calls the server: it offers its model mcp__nvim__*.
M.name = "nvim"

--- Writes a word for the shell in which Claude runs the command.
---@param word string
---@return string
local function for_shell(word)
  if vim.fn.has("win32") == 1 then
    return '"' .. word .. '"'
  end
  return require("claudecode.terminal.command").quote(word)
end

--- The command that prints the header fields with the token, those of the server on a port.
---@param config claudecode.Config
---@param port integer
---@return string? command
---@return string? err
local function headers_helper(config, port)
  local argv, err = require("claudecode.binary").find(config.daemon.cmd)
  if not argv then
    return nil, err
  end
  argv[1] = vim.fn.exepath(argv[1]) -- Claude may run in another folder
  vim.list_extend(argv, { "headers", "--port", tostring(port) })
  return table.concat(vim.tbl_map(for_shell, argv), " ")
end

---@param config claudecode.Config
---@param port integer
---@return string? json
---@return string? err
local function configuration(config, port)
  local command, err = headers_helper(config, port)
  if not command then
    return nil, err
  end
  return vim.json.encode({
    mcpServers = {
      [M.name] = {
        type = "http",
        url = ("http://127.0.0.1:%d/mcp"):format(port),
        headersHelper = command,
        alwaysLoad = config.mcp.always_load or nil,
      },
    },
  })
end

local path ---@type string? The file, which goes with the editor

--- Puts the text into a file; one that has it already is left alone, as a Claude may be reading it.
---@param text string
---@return string? path
---@return string? err
local function in_file(text)
  path = path or vim.fn.tempname() .. ".json"
  local ok, err = pcall(function()
    -- Who cleans up old temporary files may have taken the folder too.
    vim.fn.mkdir(vim.fs.dirname(path), "p", tonumber("700", 8))
    if vim.fn.filereadable(path) == 0 or vim.fn.readblob(path) ~= text then
      assert(vim.fn.writefile({ text }, path, "b") == 0, "cannot write " .. path)
    end
  end)
  return ok and path or nil, require("claudecode.strict").reason(err)
end

--- The arguments and the environment for a Claude that is to have the server's tools. It takes them
--- beside a --mcp-config of the user's own; of two servers of one name it uses the last.
---@param config claudecode.Config
---@param port integer
---@param options? { file?: boolean } file: the JSON is in a file, for a command that a shell reads
---@return string[]? args
---@return table<string, string>|string env_or_reason
function M.make(config, port, options)
  local value, err = configuration(config, port)
  if value and options and options.file then
    value, err = in_file(value)
  end
  if not value then
    return nil, err --[[@as string]]
  end
  local no_proxy = require("claudecode.terminal.environment").no_proxy(config.env)
  -- The flag takes all words up to the next one, unless its value is part of the word.
  return { "--mcp-config=" .. value }, { no_proxy = no_proxy, NO_PROXY = no_proxy }
end

return M
