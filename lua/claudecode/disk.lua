--- Whether a buffer still has the text of its file, and how it gets it.

local M = {}

local api = vim.api

--- The modification time of the file when each buffer was last read or written.
local known = {} ---@type table<integer, string>

local function is_file_buffer(buf)
  return api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and api.nvim_buf_get_name(buf) ~= ""
end

--- The modification time of a buffer's file, nil if it has none.
local function stamp(buf)
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(buf))
  return stat and stat.type == "file" and ("%d.%09d %d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or nil
end

--- Why the text of a buffer is still the old one. Neovim tries to read a file again only once.
local failed = {} ---@type table<integer, string>

--- Takes it that a buffer has the text of its file. A BufWriteCmd writes without telling.
---@param buf integer
function M.remember(buf)
  known[buf] = is_file_buffer(buf) and stamp(buf) or nil
  failed[buf] = nil
end

--- Notes from now on what buffers know of their files.
function M.setup()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    M.remember(buf)
  end
  local group = api.nvim_create_augroup("ClaudeCodeDisk", {})
  api.nvim_create_autocmd({ "BufReadPost", "BufWritePost", "FileChangedShellPost" }, {
    group = group,
    callback = function(event)
      M.remember(event.buf)
    end,
  })
  api.nvim_create_autocmd({ "BufUnload", "BufFilePost" }, {
    group = group,
    callback = function(event)
      known[event.buf], failed[event.buf] = nil, nil
    end,
  })
end

--- The loaded buffers of files.
---@return integer[]
function M.buffers()
  return vim.tbl_filter(is_file_buffer, api.nvim_list_bufs())
end

--- Whether the file was written by somebody else since the buffer was read or written.
---@param buf integer
---@return boolean
function M.changed(buf)
  local now = known[buf] and stamp(buf)
  return now ~= nil and now ~= known[buf]
end

--- Takes it that the file of a buffer is gone: what the buffer has is all there is of it, and
--- Neovim's warning would be no news.
---@param buf integer
function M.accept_removal(buf)
  local autocmd = api.nvim_create_autocmd("FileChangedShell", {
    callback = function(event)
      if event.buf == buf then
        vim.v.fcs_choice = ""
      end
    end,
  })
  local mods = { silent = true, emsg_silent = true }
  pcall(api.nvim_cmd, { cmd = "checktime", range = { buf }, mods = mods }, {})
  api.nvim_del_autocmd(autocmd)
end

--- Whether a buffer is that of a file which was not there, and has nothing yet.
local function is_new(buf)
  return known[buf] == nil and api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

--- Reads a file that there is now, which |:checktime| would ask about.
local function read_first(buf)
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    api.nvim_cmd({ cmd = "edit", mods = { silent = true, emsg_silent = true } }, {})
  end)
  return not ok and tostring(err):match("^[^\n]*") or nil
end

--- Reads the file again if it changed and the buffer has no changes of its own. Windows, cursors,
--- marks and undo fare as with |:checktime|, whose questions are answered.
---@param buf integer
---@return string? err The buffer has the old text
function M.reload(buf)
  if not is_file_buffer(buf) or vim.bo[buf].modified or not stamp(buf) then
    return nil
  elseif is_new(buf) then
    return read_first(buf)
  end
  local autocmd = api.nvim_create_autocmd("FileChangedShell", {
    callback = function(event)
      if event.buf == buf and vim.v.fcs_choice ~= "edit" then
        vim.v.fcs_choice = "reload"
      end
    end,
  })
  local tick = vim.b[buf].changedtick
  local mods = { silent = true, emsg_silent = true }
  local ok, err = pcall(api.nvim_cmd, { cmd = "checktime", range = { buf }, mods = mods }, {})
  api.nvim_del_autocmd(autocmd)
  -- An autocommand may also fail after the text was read.
  if vim.b[buf].changedtick ~= tick then
    failed[buf] = nil
  elseif not ok then
    failed[buf] = tostring(err):match("^[^\n]*")
  end
  return failed[buf]
end

return M
