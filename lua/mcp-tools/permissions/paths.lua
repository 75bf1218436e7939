--- Which files a call stands for, so that rules about paths hold however it names them: relative,
--- through links, with `..`, as a URI, by `~` or as a buffer.
---
--- Each file is given in every form that leads to it. That a form is too much only makes the
--- answer stricter, because the strictest rule of all forms counts.

local current = require("claudecode.current")
local schemas_of = require("mcp-tools.permissions.schemas")

local M = {}

local api, uv = vim.api, vim.uv

--- How many links one after the other are followed, as systems do.
local max_links = 40

--- How deep arguments are searched, as deep as the daemon takes them.
local max_depth = 128

--- How the names of arguments end that are paths, in small letters and without `_` and `-`.
local endings = { "path", "paths", "file", "files", "filename", "filenames", "uri", "uris" }
vim.list_extend(endings, { "dir", "dirs", "directory", "directories", "folder", "folders", "cwd", "root" })

local buffer_names = { bufnr = true, bufnrs = true, buf = true, bufs = true, buffer = true, buffers = true }

local function on_windows()
  return vim.fn.has("win32") == 1
end

local function plain(name)
  return (tostring(name):lower():gsub("[_-]", ""))
end

local function is_path_name(name)
  return vim.iter(endings):any(function(ending)
    return vim.endswith(name, ending)
  end)
end

--- Takes `.` and `..` away without asking the disk, as tools do.
local function lexical(path)
  local kept = {}
  for name in vim.gsplit(path, "/", { plain = true, trimempty = true }) do
    if name == ".." then
      table.remove(kept)
    elseif name ~= "." then
      table.insert(kept, name)
    end
  end
  local root = path:find("^%a:") and "" or "/"
  return root .. table.concat(kept, "/")
end

local real

--- Where a path leads, also if there is nothing yet.
---@param path string Absolute
---@param links? integer
---@return string
function real(path, links)
  local found = uv.fs_realpath(path)
  if found then
    return found
  end
  links = links or 0
  local target = links < max_links and uv.fs_readlink(path)
  local parent, name = path:match("^(.*)/([^/]*)$")
  if target then
    return real(target:sub(1, 1) == "/" and target or lexical(real(parent, links + 1) .. "/" .. target), links + 1)
  elseif not parent or parent == "" then
    return path
  end
  return real(parent, links) .. "/" .. name
end

M.real = real

--- What a text may mean where a path is wanted.
---@param text string
---@return table<string, true>
local function readings(text)
  local all = { [text] = true, [require("claudecode.paths").expand_home(text)] = true, [vim.fs.normalize(text)] = true }
  local scheme, rest = text:match("^(%a[%w+.-]+):(.*)$")
  if scheme then
    rest = rest:gsub("^//[^/]*/", "/")
    all[rest], all[vim.uri_decode(rest)] = true, true
  end
  return all
end

--- Adds every form of a path.
---@param found table<string, true>
---@param text string
local function add(found, text)
  if text == "" then
    return
  elseif text:find("\0", 1, true) then
    error("a path contains a NUL", 0)
  end
  for path in pairs(readings(text)) do
    if on_windows() then
      path = path:gsub("\\", "/")
    end
    if not (path:sub(1, 1) == "/" or path:find("^%a:/")) then
      path = vim.fn.getcwd() .. "/" .. path
    end
    for _, form in ipairs({ lexical(path), real(path), real(lexical(path)) }) do
      found[on_windows() and form:gsub("\\", "/") or form] = true
    end
  end
end

--- Every form of a path, sorted.
---@param path string
---@return string[]
function M.forms(path)
  local found = {} ---@type table<string, true>
  add(found, path)
  local forms = vim.tbl_keys(found)
  table.sort(forms)
  return forms
end

--- Adds the file of a buffer, which a tool may take as a number or a text.
local function add_buffer(found, value)
  local number = tonumber(value)
  if not number then
    add(found, value)
    number = vim.fn.bufnr(value)
  end
  if number == 0 then
    -- What a tool takes for it differs while the user is in a terminal.
    add(found, api.nvim_buf_get_name(current.buf()))
    number = api.nvim_get_current_buf()
  end
  if number == math.floor(number) and number > 0 and api.nvim_buf_is_valid(number) then
    add(found, api.nvim_buf_get_name(number))
  end
end

--- Looks for paths in a value of the arguments.
---@param found table<string, true>
---@param value any
---@param schemas table[] That say something of the value
---@param root table The schema of all arguments
---@param name string Of the argument that it belongs to
---@param depth integer
local function search(found, value, schemas, root, name, depth)
  if depth > max_depth then
    error("its arguments are nested too deeply", 0)
  elseif type(value) == "table" then
    for key, item in pairs(value) do
      local its_name = type(key) == "number" and name or plain(key)
      search(found, item, schemas_of.member(schemas, root, key), root, its_name, depth + 1)
    end
  elseif buffer_names[name] and (type(value) == "string" or type(value) == "number") then
    add_buffer(found, value)
  elseif type(value) == "string" and (is_path_name(name) or vim.iter(schemas):any(schemas_of.is_path)) then
    add(found, value)
  end
end

--- The arguments as the tool will get them.
local function with_defaults(args, schema)
  local complete = vim.deepcopy(args)
  for name, property in pairs(type(schema.properties) == "table" and schema.properties or {}) do
    if complete[name] == nil and type(property) == "table" then
      complete[name] = vim.deepcopy(property.default)
    end
  end
  return complete
end

--- The paths of the files that a call stands for. A tool says it itself with `paths(args)`; else
--- its arguments do, and if none of them is a path or a buffer, it is about the current buffer.
---@param name string
---@param args table
---@return string[]? paths Sorted
---@return string? err Why they are not known
function M.of(name, args)
  local tool = require("mcp-tools.registry").get(name)
  if not tool then
    return {}
  end
  local found = {} ---@type table<string, true>
  local ok, err = pcall(function()
    local schema = require("mcp-tools.schema").of(tool) or {}
    local complete = with_defaults(args, schema)
    local declared = tool.paths and tool.paths(complete)
    for _, path in pairs(declared or {}) do
      add(found, path)
    end
    if not declared then
      search(found, complete, schemas_of.of(schema), schema, "", 0)
    end
    if not declared and next(found) == nil then
      add_buffer(found, 0)
    end
  end)
  if not ok then
    return nil, tostring(err)
  end
  local paths = vim.tbl_keys(found)
  table.sort(paths)
  return paths
end

--- Why a call must not run that was judged by its paths: it stands for other files by now.
---@param name string
---@param args table
---@param judged string[]
---@return string?
function M.moved(name, args, judged)
  local now, err = M.of(name, args)
  if not now then
    return err
  elseif not vim.deep_equal(now, judged) then
    return name .. " did not run: it stands for other files than when its permission was decided"
  end
end

return M
