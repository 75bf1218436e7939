--- The user's `selection_filter` for files that Claude changed: of those whose text is not to leave
--- the editor none is kept.

local ask = require("claudecode.turns.ask")
local clock = require("claudecode.clock")
local filter = require("claudecode.selection.filter")
local latest = require("claudecode.turns.latest")
local names = require("claudecode.diff.names")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

--- How long after a change its files are looked up: changes come in bursts.
M.quiet_ms = 500

local judged = {} ---@type table<string, boolean> By path of the newest turn, whether its text may be kept
local judged_turn ---@type integer?

--- A buffer with the file's name, which nobody is told of and which has no text.
---@param path string
---@param f fun(buf: integer)
local function with_name(path, f)
  local known = vim.iter(api.nvim_list_bufs()):find(function(buf)
    return api.nvim_buf_get_name(buf) == path
  end)
  if known then
    return f(known)
  end
  local buf = names.new_buffer(false)
  text.silently(function()
    vim.bo[buf].swapfile = false
    api.nvim_buf_set_name(buf, path)
  end)
  f(buf)
  text.silently(function()
    api.nvim_buf_delete(buf, { force = true })
  end)
end

---@param path string
---@return boolean
local function may_keep(path)
  if judged[path] == nil then
    with_name(path, function(buf)
      judged[path] = filter.of(buf) == "full"
    end)
  end
  return judged[path]
end

--- Asks the filter about the files of the newest turn.
local function look()
  local number = latest.turn()
  if not number then
    return
  elseif number ~= judged_turn then
    judged, judged_turn = {}, number
  end
  ask.turn(number, function(turn)
    local secret = {}
    for _, file in ipairs(turn and turn.files or {}) do
      if (file.kept or file.before.hash) and not may_keep(file.path) then
        table.insert(secret, file.path)
      end
    end
    if #secret > 0 then
      require("claudecode.daemon").notify("turn_forget", { paths = secret })
    end
  end)
end

local settled = clock.one_shot(look)

--- A turn changed files.
function M.update()
  settled.start(M.quiet_ms)
end

return M
