--- The question before a turn is taken back: what becomes of each file, in one screen.

local list = require("claudecode.turns.list")
local unknown = require("claudecode.turns.unknown")
local words = require("claudecode.words")

local M = {}

--- Files that the question names at most; of more it says how many.
M.max_named = 20

--- Lines of the question besides them, with the answers and what Neovim asks for.
local other_lines = 9

--- How many files the question names here: where it does not fit, Neovim shows part of it and waits
--- for a key.
local function room()
  return math.max(math.min(M.max_named, vim.o.lines - other_lines), 1)
end

--- Makes one screen line of a line.
local function cut(line)
  local width = vim.fn.strdisplaywidth
  if width(line) < vim.o.columns then
    return line
  end
  local kept = vim.fn.strcharpart(line, 0, vim.o.columns - 2)
  while width(kept) > vim.o.columns - 2 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. "…"
end

--- The steps with those first that must be said, if there is no room for all.
---@param steps claudecode.Step[]
local function named(steps)
  if #steps <= room() then
    return steps
  end
  local left, others = {}, {}
  for _, it in ipairs(steps) do
    table.insert(it.act == "leave" and left or others, it)
  end
  return vim.list_extend(left, others)
end

---@param steps claudecode.Step[]
---@param turn claudecode.Turn
---@return string
function M.text(steps, turn)
  local rows = {}
  for _, it in ipairs(vim.list_slice(named(steps), 1, room())) do
    local why = it.why or list.sources[it.file.source]
    local path = words.plain(vim.fn.fnamemodify(it.file.path, ":~:."))
    table.insert(rows, { it.act, path, why and ("(%s)"):format(why) or "" })
  end
  local lines = { "Take back all that Claude changed?" }
  for _, line in ipairs(words.columns(rows)) do
    table.insert(lines, cut((line:gsub("%s+$", ""))))
  end
  if #steps > room() then
    table.insert(lines, ("  and %d more"):format(#steps - room()))
  end
  return table.concat(lines, "\n") .. unknown.of(turn, "\n  ")
end

return M
