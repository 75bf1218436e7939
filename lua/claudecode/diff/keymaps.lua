--- Keys in the buffers of a diff. In a buffer of the user's they are there as long as a diff of it
--- is, and what they covered comes back.

local M = {}

local api = vim.api

---@class (exact) claudecode.DiffMap
---@field [1] string Keys, in Normal mode
---@field [2] fun()
---@field [3] string

--- A function of claudecode.diff.
local function decide(action)
  return function()
    require("claudecode.diff")[action]()
  end
end

---@type claudecode.DiffMap[]
local deciding = {
  { "<leader>da", decide("accept_current_diff"), "Accept Claude's change" },
  { "<leader>dq", decide("deny_current_diff"), "Reject Claude's change" },
}

---@class claudecode.Mapped
---@field count integer How many diffs have the keys in the buffer
---@field covered? table What maparg() said of the user's

local mapped = {} ---@type table<integer, table<string, claudecode.Mapped>>

local function in_buffer(buf, f)
  return api.nvim_buf_call(buf, f)
end

---@param buf integer
---@param map claudecode.DiffMap
local function add(buf, map)
  local lhs, action, desc = unpack(map)
  mapped[buf] = mapped[buf] or {}
  local entry = mapped[buf][lhs]
  if entry then
    entry.count = entry.count + 1
    return
  end
  local known = in_buffer(buf, function()
    return vim.fn.maparg(lhs, "n", false, true)
  end)
  mapped[buf][lhs] = { count = 1, covered = known.buffer == 1 and known or nil }
  vim.keymap.set("n", lhs, action, { buffer = buf, desc = desc, nowait = true })
end

---@param buf integer
---@param lhs string
local function remove(buf, lhs)
  local entry = mapped[buf] and mapped[buf][lhs]
  if not entry then
    return
  end
  entry.count = entry.count - 1
  if entry.count > 0 then
    return
  end
  mapped[buf][lhs] = nil
  mapped[buf] = next(mapped[buf]) and mapped[buf] or nil
  if not api.nvim_buf_is_valid(buf) then
    return
  end
  pcall(vim.keymap.del, "n", lhs, { buffer = buf })
  if entry.covered then
    in_buffer(buf, function()
      pcall(vim.fn.mapset, "n", false, entry.covered)
    end)
  end
end

--- Maps keys in the buffers.
---@param bufs integer[]
---@param maps? claudecode.DiffMap[] Those that decide by default
---@return fun() undo
function M.add(bufs, maps)
  maps = maps or deciding
  for _, buf in ipairs(bufs) do
    for _, map in ipairs(maps) do
      add(buf, map)
    end
  end
  return function()
    for _, buf in ipairs(bufs) do
      for _, map in ipairs(maps) do
        remove(buf, map[1])
      end
    end
    bufs = {}
  end
end

return M
