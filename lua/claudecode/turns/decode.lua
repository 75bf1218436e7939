--- The text that Neovim makes of the bytes of a file: any encoding and line ends. A text has LF line
--- ends and is otherwise as in claudecode.diff.text.

local original = require("claudecode.diff.original")
local text = require("claudecode.diff.text")

local M = {}

--- Runs f while files are read as the one of a buffer was, as far as that can be.
local function as_read(buf, f)
  local bo, formats, encodings = vim.bo[buf], vim.o.fileformats, vim.o.fileencodings
  local function set(new_formats, new_encodings)
    text.silently(function()
      vim.go.fileformats, vim.go.fileencodings = new_formats, new_encodings
    end)
  end
  local first = vim.list_contains({ "", "utf-8" }, bo.fileencoding) and "" or "ucs-bom," .. bo.fileencoding .. ","
  set(bo.fileformat, first .. encodings)
  local ok, result = pcall(f)
  set(formats, encodings)
  return assert(ok and result, result)
end

local function read(bytes)
  local path = vim.fn.tempname()
  local file = assert(io.open(path, "wb"))
  local written, err = file:write(bytes)
  file:close()
  local ok, result = pcall(function()
    assert(written, err)
    local buf, close = original.copy(path)
    local read_ok, lines = pcall(text.read, buf)
    close()
    return assert(read_ok and lines, lines)
  end)
  vim.uv.fs_unlink(path)
  return assert(ok and result, result)
end

--- Decodes bytes; raises what went wrong.
---@param bytes string
---@param like? integer A loaded buffer whose encoding and line ends they have, if they can
---@return string
function M.text(bytes, like)
  if bytes == "" then
    return ""
  elseif like then
    return as_read(like, function()
      return read(bytes)
    end)
  end
  return read(bytes)
end

return M
