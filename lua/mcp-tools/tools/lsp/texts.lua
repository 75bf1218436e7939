--- Texts of files: of the loaded buffer if there is one, else as they are on disk.

local buffers = require("mcp-tools.buffers")
local position = require("claudecode.position")
local verdict = require("mcp-tools.permissions.verdict")

local M = {}

local api = vim.api

--- The largest file that is read, in bytes.
M.max_file = 16 * 1024 * 1024

--- How much of a line is shown, in bytes.
local max_shown = 200

--- The contents of a file, nil if it is none, is too large or cannot be read.
---@param path string
---@return string?
local function read(path)
  local stat = vim.uv.fs_stat(path)
  local is_fit = stat and stat.type == "file" and stat.size <= M.max_file
  local fd = is_fit and vim.uv.fs_open(path, "r", 0)
  if not fd then
    return nil
  end
  local text = vim.uv.fs_read(fd, stat.size, 0)
  vim.uv.fs_close(fd)
  return text
end

--- The loaded buffers of files by name.
---@return table<string, integer>
function M.buffers()
  local found = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_name(buf) or ""
    if name ~= "" then
      found[name] = buf
    end
  end
  return found
end

---@class (exact) mcp_tools.lsp.Reader
---@field call mcp_tools.WaitingCall
---@field bufs table<string, integer>
---@field judge? mcp_tools.Judge
---@field hidden table<string, boolean> Whether a file's text stays in the editor, opened or not
---@field path? string The file that was read last
---@field text? string
---@field starts integer[] of its lines, as far as they were looked for
local Reader = {}
Reader.__index = Reader

--- Reads lines of files, best file after file.
---@param call mcp_tools.WaitingCall
---@return mcp_tools.lsp.Reader
function M.reader(call)
  local judge = verdict.of(call.name, call.ctx.client or "")
  return setmetatable({ call = call, bufs = M.buffers(), judge = judge, hidden = {}, starts = {} }, Reader)
end

--- A line, without what ends it; nil if it cannot be read.
---@param path string
---@param line integer From 0
---@return string?
function Reader:line(path, line)
  local buf = self.bufs[path]
  if buf and api.nvim_buf_is_loaded(buf) then
    return api.nvim_buf_get_lines(buf, line, line + 1, false)[1]
  end
  if self.path ~= path then
    self.path, self.text, self.starts = path, read(path), { 1 }
  end
  local text, starts = self.text, self.starts
  if not text then
    return nil
  end
  while #starts <= line do
    local at = text:find("\n", starts[#starts], true)
    if not at then
      return nil
    end
    table.insert(starts, at + 1)
    self.call:pause()
  end
  local last = text:find("\n", starts[line + 1], true)
  return (text:sub(starts[line + 1], (last or #text + 1) - 1):gsub("\r$", ""))
end

--- A column in bytes, from 1. Where the line cannot be read its units count as bytes.
---@param path string
---@param at lsp.Position
---@param encoding string
---@return integer
function Reader:column(path, at, encoding)
  if at.character == 0 or encoding == "utf-8" then
    return at.character + 1
  end
  local line = self:line(path, at.line)
  return (line and position.from_units(line, at.character, encoding) or at.character) + 1
end

--- Whether a rule about paths closes a file: nobody was asked about it, as the call did not name it.
---@private
function Reader:is_closed(path)
  if not self.judge then
    return false
  end
  local action, rule = self.judge(path)
  return action == "deny" or action == "ask" and assert(rule).paths ~= nil
end

--- Whether the text of a file stays in the editor.
---@param path string
---@return boolean
function Reader:withholds(path)
  if self.hidden[path] == nil then
    local buf = self.bufs[path]
    local ask = buf and buffers.withheld or buffers.withheld_file
    self.hidden[path] = ask(buf or path) ~= nil or self:is_closed(path)
  end
  return self.hidden[path]
end

--- A line as it is shown: without its indent, cut if it is long, nil if it stays in the editor.
---@param path string
---@param line integer From 0
---@return string?
function Reader:shown(path, line)
  if self:withholds(path) then
    return nil
  end
  local text = self:line(path, line)
  text = text and vim.trim(text)
  if text and #text > max_shown then
    return text:sub(1, max_shown + vim.str_utf_start(text, max_shown + 1)) .. "…"
  end
  return text
end

return M
