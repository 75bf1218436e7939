--- The buffers that a diff makes, and their names.

local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

local function holder(name)
  return vim.iter(api.nvim_list_bufs()):find(function(buf)
    local held = api.nvim_buf_get_name(buf)
    return held == name or held == vim.fs.joinpath(vim.fn.getcwd(), name)
  end)
end

--- Whether a buffer was left behind by a diff that is over.
local function is_leftover(buf)
  return vim.b[buf].claudecode_diff_tab_name ~= nil and #vim.fn.win_findbuf(buf) == 0
end

--- An unlisted buffer, which no autocommand is told of: one that fails would leave it behind.
---@param scratch boolean
---@return integer buf
function M.new_buffer(scratch)
  return text.silently(function()
    return api.nvim_create_buf(false, scratch)
  end)
end

--- A name that is no URL, for which plugins have autocommands that send what is written.
local function plain(name)
  return (name:gsub("^(%a[%w+.-]*:)//+", "%1"))
end

--- Names a buffer. A name that is taken gets a number, unless its buffer is a leftover of ours.
---@param buf integer
---@param name string
function M.set(buf, name)
  name = plain(name)
  local wanted, number = name, 1
  local taken = holder(wanted)
  while taken and taken ~= buf do
    if is_leftover(taken) then
      api.nvim_buf_delete(taken, { force = true })
    else
      number = number + 1
      wanted = ("%s %d"):format(name, number)
    end
    taken = holder(wanted)
  end
  api.nvim_buf_set_name(buf, wanted)
end

return M
