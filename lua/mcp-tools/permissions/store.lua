--- What the user always allows: a file of the user's state, for the user alone, which all editors
--- share. It is read whenever it is asked, so that what one of them takes back is gone in all.

local M = {}

local uv = vim.uv

--- How many permissions the file holds.
M.max_entries = 512

--- From how many bytes on the file is not ours.
local max_size = 1024 * 1024

---@class (exact) mcp_tools.Always
---@field tool string As the client calls it
---@field client string What the client calls itself
---@field rule string The label of the rule that asked
---@field since string When it was allowed

---@return string
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath("state"), "claudecode", "permissions.json")
end

---@return boolean
local function is_entry(entry)
  return type(entry) == "table"
    and type(entry.tool) == "string"
    and type(entry.client) == "string"
    and type(entry.rule) == "string"
end

--- Everything that is always allowed.
---@return mcp_tools.Always[]
---@return string? err Why the file counts for nothing
function M.list()
  local path = M.path()
  local stat = uv.fs_stat(path)
  if not stat then
    return {}
  elseif stat.type ~= "file" or stat.size > max_size then
    return {}, path .. " is no list of permissions"
  elseif uv.getuid and (stat.uid ~= uv.getuid() or bit.band(stat.mode, tonumber("022", 8)) ~= 0) then
    return {}, path .. " can be written by others than you"
  end
  local file = io.open(path)
  local text = file and file:read("*a") or ""
  if file then
    file:close()
  end
  local ok, all = pcall(vim.json.decode, text)
  if not ok or type(all) ~= "table" or not vim.islist(all) or not vim.iter(all):all(is_entry) then
    return {}, path .. " is no list of permissions"
  end
  return all
end

--- Writes a file that is never seen half written, for the user alone.
---@return string? err
local function replace(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p", tonumber("700", 8))
  local temporary = ("%s.tmp.%d.%d"):format(path, vim.fn.getpid(), uv.hrtime())
  local file, err = uv.fs_open(temporary, "wx", tonumber("600", 8))
  if not file then
    return err
  end
  local written, _, unclosed
  written, err = uv.fs_write(file, text)
  _, unclosed = uv.fs_close(file)
  err = err or written ~= #text and "the disk is full" or unclosed or select(2, uv.fs_rename(temporary, path))
  if err then
    uv.fs_unlink(temporary)
  end
  return err or nil
end

---@param entries mcp_tools.Always[]
---@return string? err
local function write(entries)
  local ok, err = pcall(replace, M.path(), vim.json.encode(entries))
  return not ok and tostring(err) or err
end

local function same(entry, other)
  return entry.tool == other.tool and entry.client == other.client and entry.rule == other.rule
end

--- Whether a client says what it is called. One that does not cannot be told from others.
---@param client string
---@return boolean
function M.is_name(client)
  return vim.trim(require("claudecode.words").plain(client)) ~= ""
end

--- Whether something is always allowed.
---@param wanted { tool: string, client: string, rule: string }
---@return boolean
function M.allows(wanted)
  return M.is_name(wanted.client) and vim.iter((M.list())):any(function(entry)
    return same(entry, wanted)
  end)
end

--- Allows something for good.
---@param wanted { tool: string, client: string, rule: string }
---@return string? err
function M.add(wanted)
  local all, err = M.list()
  if err then
    return err
  elseif not M.is_name(wanted.client) then
    return "the client does not say what it is called"
  elseif M.allows(wanted) then
    return nil
  elseif #all >= M.max_entries then
    return ("%s holds %d permissions already"):format(M.path(), #all)
  end
  table.insert(
    all,
    { tool = wanted.tool, client = wanted.client, rule = wanted.rule, since = os.date("!%Y-%m-%dT%H:%M:%SZ") }
  )
  return write(all)
end

--- Takes a permission back, or all of them.
---@param wanted? { tool: string, client: string, rule: string }
---@return string? err
function M.remove(wanted)
  local all, err = M.list()
  if err and wanted then
    return err
  end
  return write(vim.tbl_filter(function(entry)
    return wanted ~= nil and not same(entry, wanted)
  end, all))
end

return M
