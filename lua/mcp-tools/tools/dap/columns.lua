--- Columns of breakpoints, which nvim-dap does not keep: marks in the text, which move with it. After
--- nvim-dap has sent a file's breakpoints to an adapter they are sent again if columns are missing.

local position = require("claudecode.position")

local M = {}

local api = vim.api

local namespace = api.nvim_create_namespace("mcp-tools.dap.columns")

--- The marks of a line.
local function marks(buf, line)
  return api.nvim_buf_get_extmarks(buf, namespace, { line - 1, 0 }, { line - 1, -1 }, {})
end

--- Sets the column of a line's breakpoint, or takes it away.
---@param buf integer
---@param line integer From 1
---@param column? integer Bytes, from 1
function M.set(buf, line, column)
  for _, mark in ipairs(marks(buf, line)) do
    api.nvim_buf_del_extmark(buf, namespace, mark[1])
  end
  if column then
    local text = api.nvim_buf_get_lines(buf, line - 1, line, false)[1] or ""
    api.nvim_buf_set_extmark(buf, namespace, line - 1, math.min(column - 1, #text), {})
  end
end

--- The column of a line's breakpoint.
---@param buf integer
---@param line integer From 1
---@return integer? column Bytes, from 1
function M.get(buf, line)
  local mark = marks(buf, line)[1]
  return mark and mark[3] + 1
end

--- Forgets all columns.
function M.clear()
  for _, buf in ipairs(vim.tbl_filter(api.nvim_buf_is_loaded, api.nvim_list_bufs())) do
    api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

--- A column as adapters count: UTF-16 units from 1.
local function units(buf, line, column)
  local text = api.nvim_buf_get_lines(buf, line - 1, line, false)[1] or ""
  return position.to_units(text, column - 1, "utf-16") + 1
end

--- The breakpoints of a buffer with their columns, as nvim-dap takes them. A column whose breakpoint
--- is gone goes too.
---@param buf integer
---@return table<integer, table[]> by_buffer
---@return boolean any Whether there are columns
function M.breakpoints(buf)
  local all, any, lines = require("dap.breakpoints").get(buf), false, {}
  for _, bp in ipairs(all[buf] or {}) do
    local column = M.get(buf, bp.line)
    lines[bp.line] = true
    if column then
      bp.column, any = units(buf, bp.line, column), true
    end
  end
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, namespace, 0, -1, {})) do
    if not lines[mark[2] + 1] then
      api.nvim_buf_del_extmark(buf, namespace, mark[1])
    end
  end
  return all, any
end

--- Sends the breakpoints of all buffers that have columns.
---@param session table
function M.send_all(session)
  for buf in pairs(require("dap.breakpoints").get()) do
    local breakpoints, any = M.breakpoints(buf)
    if any then
      session:set_breakpoints(breakpoints)
    end
  end
end

--- Sends a file's breakpoints again if they were sent without their columns.
---@param session table
---@param arguments table Of the request
function M.check(session, arguments)
  local path = arguments.source and arguments.source.path
  local buf = path and require("claudecode.paths").find_buffer(path)
  if not buf then
    return
  end
  local breakpoints, any = M.breakpoints(buf)
  if not any then
    return
  end
  local sent = {}
  for _, bp in ipairs(arguments.breakpoints or {}) do
    sent[bp.line] = bp.column or 0
  end
  for _, bp in ipairs(breakpoints[buf]) do
    if bp.column and sent[bp.line] == 0 then
      return session:set_breakpoints(breakpoints)
    end
  end
end

return M
