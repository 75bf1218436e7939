--- The buffers that tools may look into, and how much they say of them.

local current = require("claudecode.current")
local filter = require("claudecode.selection.filter")
local paths = require("claudecode.paths")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

--- The arguments by which a tool takes one buffer.
---@type table<string, mcp_tools.Arg>
M.args = {
  bufnr = { type = "integer", description = "Number of a loaded buffer. 0, the default: the current one" },
  path = { type = "string", description = "Path of a file that is loaded in a buffer, instead of bufnr" },
}

--- The loaded buffer that the arguments name.
---@param args { bufnr?: integer, path?: string }
---@return integer? buf
---@return string? err
function M.find(args)
  if args.path and args.path ~= "" then
    local buf = paths.find_open(args.path)
    return buf, not buf and ("%s is not loaded in a buffer; nvim_buffers_open does that"):format(args.path) or nil
  end
  local buf = args.bufnr or 0
  buf = buf == 0 and current.buf() or buf
  if buf == math.floor(buf) and buf > 0 and api.nvim_buf_is_valid(buf) and api.nvim_buf_is_loaded(buf) then
    return buf
  end
  return nil, ("There is no loaded buffer %s"):format(tostring(args.bufnr))
end

--- What a buffer is called in messages.
---@param buf integer
---@return string
function M.name(buf)
  local name = api.nvim_buf_get_name(buf)
  return name == "" and "[No Name]" or vim.fn.fnamemodify(name, ":~:.")
end

--- Why the text of a buffer stays in the editor. What the option `selection_filter` keeps from
--- Claude is kept from every client.
---@param buf integer
---@return string? reason
function M.withheld(buf)
  local level = filter.of(buf)
  if level == "full" then
    return nil
  elseif level == "path" then
    return ("The text of %s is withheld (selection_filter)"):format(M.name(buf))
  end
  return ("Buffer %d is no file whose text may leave the editor (selection_filter)"):format(buf)
end

--- Why the text of a file that is not loaded stays in the editor. The filter knows only buffers, so
--- one is made for it that nothing notices.
---@param path string Absolute
---@return string? reason
function M.withheld_file(path)
  if path:find("\0", 1, true) then
    return "The path contains a NUL"
  end
  local stat = vim.uv.fs_stat(path)
  if stat and stat.type ~= "file" then
    return path .. ": not a file"
  end
  return text.silently(function()
    local known = vim.iter(api.nvim_list_bufs()):find(function(buf)
      return api.nvim_buf_get_name(buf) == path
    end)
    local buf = known or vim.fn.bufadd(path)
    local reason = M.withheld(buf)
    if not known then
      api.nvim_buf_delete(buf, { force = true })
    end
    return reason
  end)
end

--- The loaded buffer that the arguments name, if its text may leave the editor.
---@param args { bufnr?: integer, path?: string }
---@return integer? buf
---@return string? err
function M.readable(args)
  local buf, err = M.find(args)
  err = err or M.withheld(assert(buf))
  return not err and buf or nil, err
end

return M
