--- Files as tools see and change them: through their buffers, so that unsaved text counts, undo
--- works, and nothing is lost that somebody else has written meanwhile.

local disk = require("claudecode.disk")
local original = require("claudecode.diff.original")
local patch = require("mcp-tools.patch")
local paths = require("claudecode.paths")
local save = require("claudecode.save")
local swap = require("claudecode.swap")

local M = {}

local api, uv = vim.api, vim.uv

---@class (exact) mcp_tools.Base A file when a change of it was made
---@field path string Absolute
---@field exists boolean
---@field text string With LF line ends, its unsaved changes included; "" of a new file
---@field stamp string Of the file on disk
---@field buf? integer Its loaded buffer

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

--- What a change of a file starts from.
---@param path string Absolute
---@param part? "stamp" All but its text, which takes long to read
---@return mcp_tools.Base? base
---@return string? err Why it cannot be changed
function M.base(path, part)
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
  local ok, found = pcall(original.find, path)
  local text = part and "" or ok and select(2, pcall(original.exact, found)) or found
  if not ok or type(text) ~= "string" then
    return nil, ("%s: %s"):format(path, tostring(text))
  end
  return { path = path, exists = stat ~= nil, text = text, stamp = stamp(path), buf = found.buf }
end

--- Why a file is not what it was any more.
---@param base mcp_tools.Base
---@param part? "stamp" All but its text
---@return string? err
function M.moved_on(base, part)
  local now, err = M.base(base.path, part)
  if not now then
    return err
  elseif now.stamp ~= base.stamp or now.text ~= base.text then
    return ("%s: it was changed meanwhile; nothing was written over it"):format(base.path)
  end
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

--- Makes a text that of a file: in its buffer, in one undo step, and on disk.
---@param who string
---@param base mcp_tools.Base
---@param text string
---@param on_disk boolean Else it stays unsaved
---@return string? err
function M.write(who, base, text, on_disk)
  local ok, buf = pcall(M.load, who, base.path)
  if not ok then
    return ("%s: %s"):format(base.path, tostring(buf))
  end
  -- Autocommands may have given the buffer another text than the file has.
  local err = M.moved_on(base)
  if err then
    return err
  end
  patch.text(buf, base.text, text)
  return on_disk and M.save(who, buf) or nil
end

--- Deletes a file, and its buffer where nobody looks at it.
---@param base mcp_tools.Base
---@return string? err
function M.delete(base)
  local err = M.moved_on(base)
  if err then
    return err
  end
  local ok, failed = uv.fs_unlink(base.path)
  if ok and base.buf and not vim.bo[base.buf].modified and #vim.fn.win_findbuf(base.buf) == 0 then
    pcall(api.nvim_buf_delete, base.buf, {})
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
