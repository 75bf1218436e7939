--- Where a program is: frames, and the text around them.

local buffers = require("mcp-tools.buffers")
local calls = require("mcp-tools.tools.dap.call")
local cut = require("mcp-tools.cut")
local kept = require("mcp-tools.tools.dap.kept")
local mark = require("mcp-tools.tools.dap.mark")
local paths = require("claudecode.paths")
local position = require("claudecode.position")
local sessions = require("mcp-tools.tools.dap.sessions")

local M = {}

local api = vim.api

--- Frames that are looked through for one with a source.
local max_frames = 20

--- Lines around a place, and bytes of each, that are shown at most.
M.max_context, M.max_bytes = 200, 400

M.context_arg = {
  type = "number",
  description = ("Lines of code to show before and after, no more than %d"):format(M.max_context),
  default = 5,
  min = 0,
}

---@class (exact) mcp_tools.dap.Location
---@field file string
---@field line integer From 1
---@field column integer Bytes, from 1
---@field function_name string

--- The top frame of a thread: the first that has a source, as nvim-dap chooses it.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param thread integer?
---@param ms integer
---@return table? frame
---@return table[] frames
local function top(call, track, thread, ms)
  if not thread then
    return nil, {}
  end
  local answer = calls.ask(call, track, "stackTrace", { threadId = thread, startFrame = 0, levels = max_frames }, ms)
  local frames = answer.body and answer.body.stackFrames or {}
  local first = vim.iter(frames):find(function(frame)
    return frame.source ~= nil
  end) or frames[1]
  return first, frames
end

--- The frame that is meant where none is named: the user's choice, else the top one.
---@param call mcp_tools.WaitingCall
---@param track mcp_tools.dap.Track
---@param ms integer
---@return table? frame
function M.frame(call, track, ms)
  return mark.frame(track) or (top(call, track, sessions.thread(call, track, {}), ms))
end

--- The frame at which a thread stopped.
M.top = top

--- A loaded buffer of a frame's file, or the file itself. Which file it is no call says, so that rules about
--- paths are looked at here.
local function text_of(call, path)
  local buf = paths.find_buffer(path)
  local withheld = kept.by_rule(call.name, path)
  if not withheld and buf then
    withheld = buffers.withheld(buf)
  elseif not withheld then
    withheld = buffers.withheld_file(path)
  end
  return buf, withheld
end

--- The lines of a file from one to another. Reading is done in pieces.
---@param call mcp_tools.WaitingCall
---@return string[]? lines
local function read(call, path, first, last)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local lines, n = {}, 0
  for line in file:lines() do
    n = n + 1
    if n >= first then
      lines[#lines + 1] = line:gsub("\r$", "")
    end
    if n >= last then
      break
    end
    call:pause()
  end
  file:close()
  return lines
end

---@param call mcp_tools.WaitingCall
---@param path string
---@param line integer
---@param around integer
---@return string[]? lines
---@return string? withheld
local function lines_around(call, path, line, around)
  local first, last = math.max(1, line - around), line + around
  local buf, withheld = text_of(call, path)
  if withheld then
    return nil, withheld
  elseif buf then
    return api.nvim_buf_get_lines(buf, first - 1, last, false)
  end
  return read(call, path, first, last)
end

local rule = ("-"):rep(60)

--- The code around a place as a text; nil if there is none to show.
---@param call mcp_tools.WaitingCall
---@param at mcp_tools.dap.Location
---@param around integer
---@return string?
function M.context(call, at, around)
  if not vim.startswith(at.file, "/") and not at.file:find("^%a:[/\\]") then
    return nil -- the adapter has its text, no file does
  end
  around = math.min(math.floor(around), M.max_context)
  local lines, withheld = lines_around(call, at.file, at.line, around)
  if withheld then
    return withheld
  elseif not lines or #lines == 0 then
    return nil
  end
  local shown, first = { "Code context:", rule }, math.max(1, at.line - around)
  for i, text in ipairs(lines) do
    local n = first + i - 1
    local pointer = n == at.line and "> " or "  "
    table.insert(shown, ("%s%4d | %s"):format(pointer, n, cut.marked(text, M.max_bytes)))
  end
  table.insert(shown, rule)
  return table.concat(shown, "\n")
end

--- A column of an adapter, in UTF-16 units from 1, in bytes. Some count from 0, or do not know it.
local function column_of(frame, path)
  local units = math.max(1, tonumber(frame.column) or 1)
  local buf = path and paths.find_buffer(path)
  local text = buf and api.nvim_buf_get_lines(buf, frame.line - 1, frame.line, false)[1]
  return text and position.from_units(text, units - 1, "utf-16") + 1 or units
end

---@param frame table
---@return mcp_tools.dap.Location
function M.location(frame)
  local source = frame.source or {}
  local line = tonumber(frame.line) or 0
  return {
    file = source.path ~= "" and source.path or source.name or "unknown",
    line = line,
    column = line > 0 and column_of(frame, source.path) or 1,
    function_name = frame.name or "unknown",
  }
end

return M
