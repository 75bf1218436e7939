--- A paste that a terminal hands to Neovim in pieces reached Claude as that many pastes before
--- Neovim 0.12.2. Here the pieces are put together.

local M = {}

--- Bytes that are held back; what is longer comes in pieces of this size.
M.max_bytes = 64 * 1024 * 1024

local first, last = 1, 3

local enabled = false
local original ---@type (fun(lines: string[], phase: integer): boolean?)?

--- Each line is a list of its parts, joined at the end: joining a long one at each piece takes time
--- in the square of its length.
---@type { win: integer, lines: string[][], bytes: integer }?
local held

--- Adds a piece; its first line goes on where the last one of the piece before ends.
local function add(lines)
  for i, line in ipairs(lines) do
    if i == 1 and #held.lines > 0 then
      table.insert(held.lines[#held.lines], line)
    else
      table.insert(held.lines, { line })
    end
    held.bytes = held.bytes + #line + 1
  end
end

--- Pastes what is held, in the window where the paste began.
local function release()
  local whole = held
  held = nil
  local lines = vim.tbl_map(table.concat, whole.lines)
  if not vim.api.nvim_win_is_valid(whole.win) then
    return true
  end
  return vim.api.nvim_win_call(whole.win, function()
    return original(lines, -1)
  end)
end

---@param win integer
local function begin(win)
  held = { win = win, lines = {}, bytes = 0 }
end

local function paste(lines, phase)
  local terminal = require("claudecode.terminal")
  if phase == first then
    held = nil
    if enabled and terminal.runs_claude(vim.api.nvim_get_current_buf()) then
      begin(vim.api.nvim_get_current_win())
    end
  end
  if not held or phase < first then
    return original(lines, phase)
  end
  add(lines)
  if phase == last then
    return release()
  elseif held.bytes > M.max_bytes then
    local win = held.win
    release()
    begin(win)
  end
  return true
end

--- Turns it on or off.
---@param on boolean
function M.apply(on)
  enabled = on
  if enabled and not original then
    original = vim.paste
    vim.paste = paste
  end
end

return M
