--- How much of a buffer may leave the editor.

local log = require("claudecode.log")

local M = {}

---@alias claudecode.Filtered "full"|"path"|"none" Everything, all but text, nothing

--- Files that hold secrets, by their name in lower case; a star is any text.
M.secret = { ".env*", "*.pem", "*.key", "id_*", "*.kdbx", ".netrc" }

local patterns ---@type string[]? of them, once one was looked for

local function to_pattern(glob)
  return "^" .. vim.pesc(glob):gsub("%%%*", ".*") .. "$"
end

--- Buffers whose text is not that of a file, whatever their name.
local fileless = { acwrite = true, nofile = true, prompt = true, quickfix = true, terminal = true }

local levels = { full = true, path = true, none = true }

local complained = false

local function is_secret(path)
  patterns = patterns or vim.tbl_map(to_pattern, M.secret)
  local name = vim.fs.basename(path):lower()
  for _, pattern in ipairs(patterns) do
    if name:find(pattern) then
      return true
    end
  end
  return false
end

--- What the option `selection_filter` is by default; a filter of the user's may ask it.
---@param buf integer
---@return claudecode.Filtered
function M.default(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if name == "" or fileless[vim.bo[buf].buftype] or name:find("^%a[%w+.-]*://") then
    return "none"
  elseif vim.fn.isdirectory(name) == 1 then
    return "none" -- the list that netrw makes of it
  end
  -- A secret is one by whatever name it is opened.
  local real = vim.uv.fs_realpath(name)
  return (is_secret(name) or real and real ~= name and is_secret(real)) and "path" or "full"
end

local function complain(what)
  if not complained then
    complained = true
    log.warn("selection", "selection_filter " .. what .. "; Claude is told nothing of the buffer")
  end
end

--- What may leave, after the user's filter if there is one. A filter that fails lets nothing out.
---@param buf integer
---@return claudecode.Filtered
function M.of(buf)
  if not vim.api.nvim_buf_is_valid(buf) then
    return "none"
  end
  local ask = require("claudecode").state.config.selection_filter
  if not ask then
    return M.default(buf)
  end
  local ok, level = pcall(ask, buf)
  if not ok then
    complain("failed: " .. tostring(level))
    return "none"
  elseif not levels[level] then
    complain('must answer "full", "path" or "none"')
    return "none"
  end
  return level
end

return M
