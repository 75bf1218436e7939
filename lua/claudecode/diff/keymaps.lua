--- <leader>da and <leader>dq in both sides of a diff. In a buffer of the user's they are there as
--- long as a diff of it is, and what they covered comes back.

local M = {}

local api = vim.api

---@type { [1]: string, [2]: string, [3]: string }[]
local maps = {
  { "<leader>da", "accept_current_diff", "Accept Claude's change" },
  { "<leader>dq", "deny_current_diff", "Reject Claude's change" },
}

---@class claudecode.Mapped
---@field count integer How many diffs have the buffer
---@field covered table[] What maparg() said of the user's

local mapped = {} ---@type table<integer, claudecode.Mapped>

local function in_buffer(buf, f)
  return api.nvim_buf_call(buf, f)
end

---@param buf integer
local function add(buf)
  local entry = mapped[buf]
  if entry then
    entry.count = entry.count + 1
    return
  end
  entry = { count = 1, covered = {} }
  mapped[buf] = entry
  for _, map in ipairs(maps) do
    local lhs, action, desc = unpack(map)
    local known = in_buffer(buf, function()
      return vim.fn.maparg(lhs, "n", false, true)
    end)
    if known.buffer == 1 then
      table.insert(entry.covered, known)
    end
    vim.keymap.set("n", lhs, function()
      require("claudecode.diff")[action]()
    end, { buffer = buf, desc = desc, nowait = true })
  end
end

---@param buf integer
local function remove(buf)
  local entry = mapped[buf]
  if not entry then
    return
  end
  entry.count = entry.count - 1
  if entry.count > 0 then
    return
  end
  mapped[buf] = nil
  if not api.nvim_buf_is_valid(buf) then
    return
  end
  for _, map in ipairs(maps) do
    pcall(vim.keymap.del, "n", map[1], { buffer = buf })
  end
  in_buffer(buf, function()
    for _, known in ipairs(entry.covered) do
      pcall(vim.fn.mapset, "n", false, known)
    end
  end)
end

--- Maps the keys in the buffers.
---@param bufs integer[]
---@return fun() undo
function M.add(bufs)
  vim.iter(bufs):each(add)
  return function()
    vim.iter(bufs):each(remove)
    bufs = {}
  end
end

return M
