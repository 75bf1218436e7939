--- Files as language servers see them: buffers that have the text on disk.

local disk = require("claudecode.disk")
local language_servers = require("claudecode.language_servers")
local paths = require("claudecode.paths")

local M = {}

local api = vim.api

--- The buffer that a URI or a path names. One that nobody opened is loaded unlisted, in no window,
--- if a running server serves it.
---@param uri string
---@param alone? boolean Load it also if no server runs yet; one may start for it
---@return integer? buf
---@return string? path That no buffer has
function M.buffer(uri, alone)
  local candidates = paths.from_uri(uri)
  for _, path in ipairs(candidates) do
    local buf = paths.find_buffer(path)
    if buf then
      return buf
    end
  end
  for _, path in ipairs(candidates) do
    local buf = require("claudecode.background").load(path, alone)
    if buf then
      return buf
    end
  end
  return nil, candidates[1]
end

--- Reads again what changed on disk.
---@param bufs integer[]
---@return string? err
function M.reload(bufs)
  for _, buf in ipairs(bufs) do
    local err = disk.reload(buf)
    if err then
      return ("%s cannot be read again: %s"):format(api.nvim_buf_get_name(buf), err)
    end
  end
end

---@param bufs integer[]
function M.have_servers(bufs)
  return vim.iter(bufs):any(function(buf)
    return #language_servers.of(buf) > 0
  end)
end

--- Waits until the servers of the buffers have reported on the texts that these have now.
---@param bufs integer[]
---@param opts { changed_only: boolean, timeout_ms: integer, on_cancel: fun(f: fun()), cancelled: fun(): boolean }
---@param done fun(problem?: string) Called once, unless it is cancelled, with why there is no report
function M.await_reports(bufs, opts, done)
  if not M.have_servers(bufs) then
    return done()
  end
  -- What the servers were sent just now is known one turn later.
  vim.schedule(function()
    if opts.cancelled() then
      return
    end
    language_servers.tell_saved(bufs)
    require("claudecode.reports").wait(bufs, opts, done)
  end)
end

--- The code of a diagnostic as a string. tostring() would round a number of more than 14 digits.
---@param diagnostic vim.Diagnostic
---@return string?
function M.code_of(diagnostic)
  local code = diagnostic.code
  if code == nil or code == vim.NIL then
    return nil
  end
  return type(code) == "number" and require("mcp-tools.json").encode(code) or tostring(code)
end

return M
