--- The list of the files of a turn, which stays beside what is shown of them.

local names = require("claudecode.diff.names")
local text = require("claudecode.diff.text")
local unknown = require("claudecode.turns.unknown")
local words = require("claudecode.words")

local M = {}

local api = vim.api

--- Lines of the window at most.
local max_height = 10

--- Lines before the first file.
M.heading = 1

local kinds =
  { large = "too large", secret = "secret", memory = "not kept", unreadable = "not kept", mixed = "changed by you too" }

--- Bytes above which the lines of a file are not counted.
local max_counted = 4 * 1024 * 1024

--- How it is known that a file changed, if Claude did not say that it writes it.
M.sources = { shell = "by a command", both = "also by a command", later = "after you looked, maybe by another program" }

---@param turn { client: integer, name: string, began_unix_ms: integer }
---@return string
function M.who(turn)
  local name = turn.name ~= "" and ("%s (client_%d)"):format(words.plain(turn.name), turn.client)
  return ("%s, %s"):format(os.date("%H:%M:%S", math.floor(turn.began_unix_ms / 1000)), name or "client_" .. turn.client)
end

---@param file claudecode.TurnFile
local function remark(file)
  local parts = {}
  table.insert(parts, not file.kept and kinds[file.why] or file.binary and "binary" or nil)
  table.insert(parts, M.sources[file.source])
  return table.concat(parts, ", ")
end

---@param file claudecode.TurnFile
---@param back boolean Whether it is as it was before
---@return string[]
local function row(file, back)
  local after = file.after
  local known = after.kind ~= "file" or after.hash and (after.size or 0) <= max_counted
  local counted = file.kept and not file.binary and known
  return {
    back and "taken back" or file.change,
    words.plain(vim.fn.fnamemodify(file.path, ":~:.")),
    counted and "+" .. file.added or "",
    counted and "-" .. file.removed or "",
    remark(file),
  }
end

---@param turn claudecode.Turn
---@param back table<string, boolean> By path, what is as it was before
---@return string[]
function M.lines(turn, back)
  local added, removed, rows = 0, 0, {}
  for _, file in ipairs(turn.files) do
    added, removed = added + file.added, removed + file.removed
    table.insert(rows, row(file, back[file.path] == true))
  end
  local sum = ("%s, +%d -%d"):format(words.count(#turn.files, "file"), added, removed)
  local lines = { ("%s: %s%s"):format(M.who(turn), sum, unknown.of(turn, "; ")) }
  for _, line in ipairs(words.columns(rows)) do
    table.insert(lines, (line:gsub("%s+$", "")))
  end
  return lines
end

---@param buf integer
---@param turn claudecode.Turn
---@param back table<string, boolean>
function M.write(buf, turn, back)
  text.silently(function()
    vim.bo[buf].modifiable = true
    api.nvim_buf_set_lines(buf, 0, -1, false, M.lines(turn, back))
    vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
  end)
end

--- Opens the list below the place's window.
---@param place claudecode.Place
---@param turn claudecode.Turn
---@return integer buf
---@return integer win
function M.open(place, turn)
  local buf = names.new_buffer(true)
  text.silently(function()
    vim.bo[buf].bufhidden, vim.bo[buf].undolevels = "wipe", -1
    names.set(buf, "Claude's changes")
  end)
  M.write(buf, turn, {})
  local win = place:open(buf, place.anchor, "below")
  text.silently(function()
    api.nvim_win_set_height(win, math.min(#turn.files + M.heading, max_height))
    local wo = vim.wo[win][0]
    wo.winfixheight, wo.cursorline, wo.wrap, wo.number, wo.relativenumber = true, true, false, false, false
    wo.signcolumn, wo.foldcolumn, wo.foldenable, wo.list, wo.spell = "no", "0", false, false, false
  end)
  vim.bo[buf].filetype = "claudecode-review"
  return buf, win
end

return M
