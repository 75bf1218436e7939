--- Paths as clients write them. Nothing in them is a pattern or a variable: `$`, blanks, `[id]`,
--- `%` and `*` stand for themselves; only a leading `~` or `~/` is the home folder.

local M = {}

local function home()
  return vim.env.HOME or vim.uv.os_homedir()
end

--- Replaces a leading `~` or `~/`.
---@param path string
---@return string
function M.expand_home(path)
  if path == "~" or vim.startswith(path, "~/") then
    return home() .. path:sub(2)
  end
  return path
end

--- What vim.fs.joinpath() says of two. To load vim.fs for that would cost more than all else at the start.
---@param folder string
---@param name string
---@return string
function M.join(folder, name)
  return (("%s/%s"):format(folder, name):gsub("//+", "/"))
end

---@param path string
---@return string
function M.absolute(path)
  if vim.startswith(path, "/") or vim.fn.has("win32") == 1 and path:match("^%a:[/\\]") then
    return path
  end
  return M.join(vim.fn.getcwd(), path)
end

--- The URI of a path: `file://` and the path, not percent-encoded, as Claude writes and compares it.
---@param path string
---@return string
function M.to_uri(path)
  return path:match("^%a[%w+.-]*://") and path or "file://" .. path
end

--- The paths that a URI or a plain path may mean: as it stands, then percent-decoded.
---@param uri string
---@return string[]
function M.from_uri(uri)
  local path = uri:match("^file://localhost(/.*)$") or uri:match("^file://(.*)$")
  if not path then
    return { M.absolute(M.expand_home(uri)) }
  end
  local decoded = vim.uri_decode(path)
  return decoded == path and { path } or { path, decoded }
end

--- The loaded buffer of a file: by its exact name, else by the file that both names lead to.
---@param path string Absolute
---@return integer? buf
function M.find_buffer(path)
  if path:find("\0", 1, true) then
    return nil -- the file system would read it as the part before
  end
  local loaded = vim.tbl_filter(function(buf)
    return vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) ~= ""
  end, vim.api.nvim_list_bufs())
  for _, buf in ipairs(loaded) do
    if vim.api.nvim_buf_get_name(buf) == path then
      return buf
    end
  end
  local real = vim.uv.fs_realpath(path)
  for _, buf in ipairs(real and loaded or {}) do
    if vim.uv.fs_realpath(vim.api.nvim_buf_get_name(buf)) == real then
      return buf
    end
  end
end

--- The loaded buffer of a path as clients write it, relative to the working folder if need be.
---@param path string
---@return integer? buf
function M.find_open(path)
  return path ~= "" and M.find_buffer(M.absolute(M.expand_home(path))) or nil
end

--- Whether a buffer of this name is no file.
---@param name string
---@return boolean
function M.is_untitled(name)
  return vim.trim(name) == "" or vim.startswith(name, "term://") or vim.fs.basename(name):find("^%[.*%]$") ~= nil
end

return M
