--- Files as tools see and change them: through their buffers, so that unsaved text counts, undo
--- works, and nothing is lost that somebody else has written meanwhile.

local disk = require("claudecode.disk")
local lines = require("mcp-tools.lines")
local original = require("claudecode.diff.original")
local patch = require("mcp-tools.patch")
local paths = require("claudecode.paths")
local save = require("claudecode.save")
local slices = require("mcp-tools.slices")
local swap = require("claudecode.swap")

local M = {}

local api, uv = vim.api, vim.uv

--- How often a file is looked at anew because its buffer changes meanwhile.
local max_tries = 20

---@class (exact) mcp_tools.Base A file when a change of it was made
---@field path string Absolute
---@field exists boolean
---@field parts? mcp_tools.Text Its text, unsaved changes included; empty of a new file
---@field text? string The same in one string, with LF line ends
---@field stamp string Of the file on disk
---@field buf? integer Its loaded buffer
---@field tick? integer That buffer's, when it had this text
---@field eol? boolean Its 'endofline'

local function stamp(path)
  local stat = uv.fs_stat(path)
  return stat and ("%s %d.%09d %d"):format(stat.type, stat.mtime.sec, stat.mtime.nsec, stat.size) or ""
end

--- Makes a path that a client wrote absolute.
---@param path string
---@return string
function M.absolute(path)
  return vim.fs.normalize(paths.absolute(paths.expand_home(path)), { expand_env = false })
end

--- Why a buffer cannot be changed.
---@param buf integer
---@return string?
function M.locked(buf)
  if not vim.bo[buf].modifiable then
    return "its buffer is not modifiable"
  elseif vim.bo[buf].readonly then
    return "its buffer is read-only"
  elseif disk.changed(buf) then
    return "it has unsaved changes, and was changed on disk too"
  end
end

--- A file as it is now, but for its text.
---@param path string Absolute
---@return mcp_tools.Base? base
---@return string? err Why it cannot be changed
local function look(path)
  if path:find("\0", 1, true) then
    return nil, "the path contains a NUL"
  end
  local stat = uv.fs_stat(path)
  if stat and stat.type ~= "file" then
    return nil, ("%s: not a file"):format(path)
  end
  local buf = paths.find_buffer(path)
  if buf then
    disk.reload(buf)
    local err = M.locked(buf)
    if err then
      return nil, ("%s: %s"):format(path, err)
    end
  end
  buf = original.find(path).buf
  return {
    path = path,
    exists = stat ~= nil,
    stamp = stamp(path),
    buf = buf,
    tick = buf and api.nvim_buf_get_changedtick(buf),
    eol = buf and vim.bo[buf].endofline,
  }
end

--- The text of a file that has no buffer. It is read to its end, as the buffer for that has to go.
local function read_file(path)
  return slices.to_end(function()
    local buf, close = original.copy(path)
    local ok, text = pcall(lines.read, buf)
    close()
    return ok and text or error(text or "it was closed while it was read", 0)
  end)
end

--- Adds the text that a file has.
---@param base mcp_tools.Base
---@return string? err
local function read(base)
  if base.buf then
    base.parts, base.tick = lines.read(base.buf)
    if not base.parts then
      return ("%s: it changes all the time, or was closed"):format(base.path)
    end
    base.eol = vim.bo[base.buf].endofline
  elseif original.find(base.path).is_new then
    base.parts = {}
  else
    local ok, text = pcall(read_file, base.path)
    if not ok then
      return ("%s: %s"):format(base.path, tostring(text))
    end
    base.parts = text
  end
end

--- What a change of a file starts from. Runs in slices.
---@param path string Absolute
---@param part? "stamp"|"parts" Nothing of its text, or only parts: one string of a long text takes long to make
---@return mcp_tools.Base? base
---@return string? err Why it cannot be changed
function M.base(path, part)
  local base, err = look(path)
  if not base or part == "stamp" then
    return base, err
  end
  err = read(base)
  if not err and not part then
    base.text = table.concat(base.parts)
  end
  return not err and base or nil, err
end

--- Whether a file's buffer is the same and was not touched.
local function is_untouched(base, now)
  return base.buf == now.buf and base.tick == now.tick and base.eol == now.eol
end

--- Why a file is not what it was any more. Runs in slices; that it is what it was holds until the next
--- pause of who asks.
---@param base mcp_tools.Base
---@param part? "stamp" All but its text
---@return string? err
function M.moved_on(base, part)
  local known = base.buf and base -- how the file was when it had the text
  for _ = 1, max_tries do
    local now, err = look(base.path)
    if not now then
      return err
    elseif now.stamp ~= base.stamp then
      break
    elseif part or known and is_untouched(known, now) then
      return nil
    end
    err = read(now)
    if err then
      return err
    elseif not lines.same(now.parts, base.parts) then
      break
    end
    known = now
  end
  return ("%s: it was changed meanwhile; nothing was written over it"):format(base.path)
end

--- The buffer of a file: the loaded one, else one that is loaded for it and stays.
---@param who string Who is named in a warning
---@param path string Absolute
---@return integer buf Raises what loading it raises
function M.load(who, path)
  local buf = paths.find_buffer(path)
  if not buf then
    buf = vim.fn.bufadd(path)
    swap.load(who, buf)
    vim.bo[buf].buflisted = true
  end
  return buf
end

--- Saves a buffer as the user's :write would, with the end of its last line as it is.
---@param who string
---@param buf integer
---@return string? err
function M.save(who, buf)
  vim.fn.mkdir(vim.fs.dirname(api.nvim_buf_get_name(buf)), "p")
  local fixed = vim.bo[buf].fixendofline
  vim.bo[buf].fixendofline = false
  local err = save.buffer(who, buf)
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].fixendofline = fixed
  end
  return err and ("%s: changed in its buffer, but not saved: %s"):format(api.nvim_buf_get_name(buf), err)
end

--- Makes a text that of a file: in its buffer, in one undo step, and on disk. Runs in slices, the last
--- of which sees that the file is what it was, and writes.
---@param who string
---@param base mcp_tools.Base With its text in parts
---@param text mcp_tools.Text
---@param on_disk boolean Else it stays unsaved
---@return string? err
function M.write(who, base, text, on_disk)
  local replacements = patch.between(base.parts, text)
  local ok, buf = pcall(M.load, who, base.path)
  if not ok then
    return ("%s: %s"):format(base.path, tostring(buf))
  end
  slices.pause(true)
  -- Autocommands may have given the buffer another text than the file has.
  local err = M.moved_on(base)
  if err then
    return err
  elseif paths.find_buffer(base.path) ~= buf then
    return ("%s: its buffer was closed meanwhile"):format(base.path)
  end
  patch.lines(buf, replacements, #base.parts == 0)
  vim.bo[buf].endofline = lines.has_end(text)
  return on_disk and M.save(who, buf) or nil
end

--- Deletes a file, and its buffer where nobody looks at it. Runs in slices.
---@param base mcp_tools.Base With its text in parts
---@return string? err
function M.delete(base)
  local err = M.moved_on(base)
  if err then
    return err
  end
  local ok, failed = uv.fs_unlink(base.path)
  local buf = base.buf
  if ok and buf and api.nvim_buf_is_valid(buf) and not vim.bo[buf].modified and #vim.fn.win_findbuf(buf) == 0 then
    pcall(api.nvim_buf_delete, buf, {})
  end
  return not ok and failed or nil
end

--- Renames a file or a folder, with the buffers of what is in it.
---@param from string Absolute
---@param to string Absolute
---@return string? err
function M.rename(from, to)
  if not uv.fs_stat(from) then
    return ("%s: there is no such file"):format(from)
  elseif uv.fs_lstat(to) or paths.find_buffer(to) then
    return ("%s: there is one already"):format(to)
  end
  local ok, err = pcall(swap.quietly, "rename", function()
    vim.lsp.util.rename(from, to, {})
  end)
  return not ok and ("%s: %s"):format(from, tostring(err)) or nil
end

return M
