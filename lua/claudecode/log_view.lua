--- Shows the log: the daemon's file if it has one, else what is remembered of both sides.

local paths = require("claudecode.paths")

local M = {}

local buffer_name = "claudecode://log"

--- Shows a buffer with the cursor on its last line, in its window or a new one.
---@param buf integer
local function show(buf)
  local window = vim.fn.bufwinid(buf)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd.sbuffer(buf)
  end
  vim.cmd.normal({ "G", bang = true })
end

---@return string[]
local function remembered()
  local lines = vim.split(table.concat(require("claudecode.log").recent(), "\n"), "\n", { trimempty = true })
  local said = vim.tbl_filter(function(line)
    return line ~= ""
  end, require("claudecode.daemon").stderr())
  if #said > 0 then
    vim.list_extend(lines, { "", "What claudecoded last wrote to stderr:" })
    vim.list_extend(lines, said)
  end
  return #lines > 0 and lines or { "Nothing was logged." }
end

--- The buffer of the remembered lines, made if it is not there.
---@return integer buf
local function scratch()
  local found = vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
    return vim.api.nvim_buf_get_name(buf) == buffer_name
  end)
  if found then
    return found
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, buffer_name)
  vim.bo[buf].bufhidden = "wipe"
  return buf
end

---@param log_file? string The option daemon.log_file
function M.open(log_file)
  local path = log_file and paths.absolute(paths.expand_home(log_file))
  if path and vim.uv.fs_stat(path) then
    local buf = vim.fn.bufadd(path)
    vim.fn.bufload(buf)
    vim.bo[buf].readonly = true
    vim.bo[buf].autoread = true
    vim.cmd.checktime(buf)
    return show(buf)
  end
  local buf = scratch()
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, remembered())
  vim.bo[buf].modifiable = false
  show(buf)
end

return M
