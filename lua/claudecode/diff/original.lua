--- The file that a proposal is compared with: its text, and a buffer of it for as long as a diff
--- shows it.

local paths = require("claudecode.paths")
local strict = require("claudecode.strict")
local swap = require("claudecode.swap")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

---@class (exact) claudecode.Original
---@field path string Absolute
---@field is_new boolean There is no such file that can be read
---@field buf? integer Its loaded buffer
---@field modified boolean That buffer has unsaved changes
---@field unloaded? integer Its buffer if that is not loaded

--- The buffer with exactly this name.
local function named(path)
  return vim.iter(api.nvim_list_bufs()):find(function(buf)
    return api.nvim_buf_get_name(buf) == path
  end)
end

--- Looks the file up. What it finds holds until the user may act again.
---@param path string Absolute
---@return claudecode.Original
function M.find(path)
  local stat = vim.uv.fs_stat(path)
  local buf = paths.find_buffer(path)
  if buf and not vim.list_contains({ "", "acwrite" }, vim.bo[buf].buftype) then
    buf = nil
  end
  return {
    path = path,
    is_new = not stat or stat.type ~= "file" or vim.fn.filereadable(path) == 0,
    buf = buf,
    modified = buf ~= nil and vim.bo[buf].modified,
    unloaded = not buf and named(path) or nil,
  }
end

--- A hidden buffer with what Neovim makes of the bytes of a file: any encoding and line ends. It
--- reads a copy under another name, so that nothing that knows the file notices.
---@param path string
---@return integer buf
---@return fun() close
function M.copy(path)
  local copy = vim.fn.tempname()
  assert(vim.uv.fs_copyfile(path, copy))
  local buf
  local function close()
    text.silently(function()
      api.nvim_buf_delete(buf, { force = true })
    end)
  end
  local ok, err = pcall(text.silently, function()
    buf = vim.fn.bufadd(copy)
    local bo = vim.bo[buf]
    bo.swapfile, bo.undofile, bo.modeline, bo.bufhidden = false, false, false, "hide"
    vim.fn.bufload(buf)
  end)
  vim.uv.fs_unlink(copy)
  if not ok then
    pcall(close)
    error(err, 0)
  end
  return buf, close
end

local function read_file(path)
  local buf, close = M.copy(path)
  local ok, result = pcall(text.read, buf)
  close()
  return assert(ok and result, result)
end

--- The text of the file, its unsaved changes included; "" of a new file without a buffer. It has no
--- byte order mark.
---@param original claudecode.Original
---@return string
function M.exact(original)
  if original.is_new and not original.buf then
    return ""
  end
  local old = original.buf and text.read(original.buf) or read_file(original.path)
  return vim.startswith(old, text.bom) and old:sub(#text.bom + 1) or old
end

--- The text to compare a proposal with: the exact one, but with the line ends of the proposal if its
--- own are mixed.
---@param original claudecode.Original
---@param proposal string
---@return string
function M.text(original, proposal)
  local old = M.exact(original)
  if not proposal:find("\r\n", 1, true) then
    old = old:gsub("\r\n", "\n")
  end
  return old
end

---@class (exact) claudecode.Loan A buffer that was loaded for diffs
---@field buf integer
---@field count integer How many of them show it
---@field known boolean Whether the buffer was there before, unloaded
---@field listed boolean
---@field tick integer What 'changedtick' is if the user did nothing to it
---@field watch? integer

local loans = {} ---@type table<integer, claudecode.Loan>

local function remove(buf, known)
  pcall(api.nvim_buf_delete, buf, { force = true, unload = known })
end

---@param original claudecode.Original
---@return claudecode.Loan
local function lend(original)
  local path, known = original.path, original.unloaded ~= nil
  local buf = original.unloaded
  local ok, err = pcall(function()
    buf = buf or strict.call(vim.fn.bufadd, path)
    swap.load("openDiff", buf)
  end)
  if not ok then
    -- An autocommand may fail after there is a buffer.
    buf = buf or named(path)
    if buf then
      remove(buf, known)
    end
    error(err, 0)
  end
  local listed = known and vim.bo[buf].buflisted
  text.silently(function()
    vim.bo[buf].buflisted = listed
  end)
  local loan = { buf = buf, count = 0, known = known, listed = listed, tick = vim.b[buf].changedtick }
  -- That the file is read again is no act of the user's.
  loan.watch = api.nvim_create_autocmd({ "BufReadPost", "FileChangedShellPost" }, {
    buffer = buf,
    callback = function()
      loan.tick = vim.b[buf].changedtick
    end,
  })
  loans[buf] = loan
  return loan
end

---@param loan claudecode.Loan
local function give_back(loan)
  loan.count = loan.count - 1
  if loan.count > 0 then
    return
  end
  loans[loan.buf] = nil
  pcall(api.nvim_del_autocmd, loan.watch)
  if
    api.nvim_buf_is_loaded(loan.buf)
    and not vim.bo[loan.buf].modified
    and vim.bo[loan.buf].buflisted == loan.listed
    and vim.b[loan.buf].changedtick == loan.tick
    and #vim.fn.win_findbuf(loan.buf) == 0
  then
    remove(loan.buf, loan.known)
  end
end

--- A buffer of the file to show: the loaded one, else one that is loaded for it, unlisted if the
--- file had none, without a question about a swap file. Errors of the user's autocommands are
--- raised and leave nothing behind.
---@param original claudecode.Original An existing file
---@return integer buf
---@return fun() release Unloads it again with the last diff, if it was loaded here and the user did nothing to it
function M.load(original)
  local loan = loans[original.buf]
  if original.buf and not loan then
    return original.buf, function() end
  end
  loan = loan or lend(original)
  loan.count = loan.count + 1
  return loan.buf, function()
    if loan then
      give_back(loan)
      loan = nil
    end
  end
end

return M
