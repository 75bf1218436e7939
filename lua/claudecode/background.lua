--- Files that nobody opened, loaded unlisted so that a running language server looks at them.

local lsp = require("claudecode.lsp")
local swap = require("claudecode.swap")

local M = {}

local api = vim.api

--- How many such buffers are kept at once.
M.max_loaded = 32

local loaded = {} ---@type integer[] oldest first

local function is_below(path, folder)
  local root = vim.uv.fs_realpath(folder)
  return root ~= nil and (path == root or vim.startswith(path, root == "/" and root or root .. "/"))
end

--- Whether the client looks after files of this type in the path's folder.
local function serves(client, path, filetype)
  local folders = vim.tbl_map(function(folder)
    return vim.uri_to_fname(folder.uri)
  end, client.workspace_folders or {})
  if not vim.iter(folders):any(function(folder)
    return is_below(path, folder)
  end) then
    return false
  end
  if client.config.filetypes then
    return vim.list_contains(client.config.filetypes, filetype)
  end
  return vim.iter(vim.tbl_keys(client.attached_buffers)):any(function(buf)
    return api.nvim_buf_is_valid(buf) and vim.bo[buf].filetype == filetype
  end)
end

--- Unloads the oldest, unless the user has taken it over.
local function make_room()
  while #loaded >= M.max_loaded do
    local buf = table.remove(loaded, 1)
    local ours = api.nvim_buf_is_valid(buf) and not vim.bo[buf].buflisted and not vim.bo[buf].modified
    if ours and #vim.fn.win_findbuf(buf) == 0 then
      pcall(api.nvim_buf_delete, buf, {})
    end
  end
end

--- Reads a file into a buffer. Autocommands that fail do not stop it half way.
---@return boolean read
local function read(buf, size)
  swap.quietly("getDiagnostics", function()
    pcall(api.nvim_cmd, { cmd = "call", args = { ("bufload(%d)"):format(buf) }, mods = { emsg_silent = true } }, {})
  end)
  local is_empty = api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf)) <= 1
  return api.nvim_buf_is_loaded(buf) and (size <= 1 or not is_empty)
end

--- Loads a file for the language servers that serve its folder.
---@param path string Absolute
---@param alone? boolean Also if no server serves it: to load it may start one
---@return integer? buf nil if it cannot be read, or no server serves it
function M.load(path, alone)
  local real = not path:find("\0", 1, true) and vim.uv.fs_realpath(path)
  local stat = real and vim.uv.fs_stat(real)
  if not stat or stat.type ~= "file" then
    return nil
  end
  local filetype = vim.filetype.match({ filename = real }) or alone and ""
  if not filetype then
    return nil
  end
  local clients = vim.tbl_filter(function(client)
    return serves(client, real, filetype)
  end, lsp.clients())
  if #clients == 0 and not alone then
    return nil
  end
  make_room()
  local buf = vim.fn.bufadd(path)
  if not read(buf, stat.size) then
    pcall(api.nvim_buf_delete, buf, { unload = true })
    return nil
  end
  if vim.bo[buf].filetype == "" and filetype ~= "" then
    pcall(api.nvim_set_option_value, "filetype", filetype, { buf = buf })
  end
  for _, client in ipairs(clients) do
    vim.lsp.buf_attach_client(buf, client.id)
  end
  table.insert(loaded, buf)
  return buf
end

return M
