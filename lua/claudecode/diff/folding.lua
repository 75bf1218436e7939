--- Folds of what is alike in long texts. Those that 'foldmethod' "diff" makes would hold up the editor;
--- these are made in slices, once both sides are shown.

local compare = require("mcp-tools.compare")
local lines = require("mcp-tools.lines")
local slices = require("mcp-tools.slices")

local M = {}

local api = vim.api

--- Folds that are made in one go, and how often the texts are compared anew because they change meanwhile.
local block, max_tries = 200, 20

--- How many lines around a change are shown.
---@return integer
local function context()
  return math.max(tonumber(vim.o.diffopt:match("context:(%d+)")) or 6, 1)
end

--- What 'diffopt' says of lines that differ, as vim.text.diff() takes it.
local ignored = {
  ["indent-heuristic"] = "indent_heuristic",
  iblank = "ignore_blank_lines",
  iwhite = "ignore_whitespace_change",
  iwhiteall = "ignore_whitespace",
  iwhiteeol = "ignore_whitespace_change_at_eol",
}

--- How Neovim compares.
---@return vim.text.diff.Opts? options nil if it is not known which lines it takes for alike
local function options()
  local found = { algorithm = vim.o.diffopt:match("algorithm:(%a+)") }
  local values = vim.opt.diffopt:get()
  for _, value in ipairs(values) do
    if ignored[value] then
      found[ignored[value]] = true
    end
  end
  local is_known = vim.list_contains(values, "internal") and vim.o.diffexpr == "" and not vim.o.diffopt:find("icase")
  return is_known and found or nil
end

---@class (exact) claudecode.Alike Lines that are alike on both sides
---@field first integer
---@field last integer

--- The lines that are far from every change.
---@param changes { first: integer, count: integer }[] In order
---@param last integer Of all
---@return claudecode.Alike[]
local function between(changes, last)
  local alike, from, around = {}, 1, context()
  local function add(to)
    if to >= from then
      alike[#alike + 1] = { first = from, last = to }
    end
  end
  for _, change in ipairs(changes) do
    add(change.first - around - 1)
    from = change.first + change.count + around
  end
  add(last)
  return alike
end

--- The text of a buffer as Neovim compares it: each line has an end.
local function read(buf)
  local text = lines.read(buf) or {}
  if not lines.has_end(text) then
    text[#text + 1] = "\n"
  end
  return text
end

--- What can be folded on each side. Runs in slices.
---@param bufs integer[]
---@return claudecode.Alike[][]
local function find(bufs)
  local sides = { {}, {} }
  for _, indices in ipairs(compare.indices(read(bufs[1]), read(bufs[2]), options())) do
    for side = 1, 2 do
      local first, count = indices[2 * side - 1], indices[2 * side]
      -- Where there are none they are missing behind that line.
      table.insert(sides[side], { first = count > 0 and first or first + 1, count = count })
    end
    slices.pause()
  end
  return {
    between(sides[1], api.nvim_buf_line_count(bufs[1])),
    between(sides[2], api.nvim_buf_line_count(bufs[2])),
  }
end

---@param win integer
---@param alike claudecode.Alike[]
local function fold(win, alike)
  for at = 1, #alike, block do
    api.nvim_win_call(win, function()
      for i = at, math.min(at + block - 1, #alike) do
        vim.cmd(("%d,%dfold"):format(alike[i].first, alike[i].last))
      end
    end)
    slices.pause()
  end
end

--- Folds what is alike in windows, as long as they are those of one diff.
---@param wins integer[] Two, in diff mode, with 'foldmethod' "manual"
---@return fun() stop
function M.begin(wins)
  local bufs = vim.tbl_map(api.nvim_win_get_buf, wins)
  local stopped = false
  local function wanted()
    for i, win in ipairs(wins) do
      local is_same = not stopped and api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufs[i]
      if not is_same or not vim.wo[win].diff or vim.wo[win].foldmethod ~= "manual" then
        return false
      end
    end
    return true
  end
  local function ticks()
    return table.concat(vim.tbl_map(api.nvim_buf_get_changedtick, bufs), " ")
  end
  slices.run(
    function()
      for _ = 1, options() and max_tries or 0 do
        local before = ticks()
        local found = find(bufs)
        if ticks() == before then
          for i, win in ipairs(wins) do
            fold(win, found[i])
          end
          return
        end
      end
    end,
    wanted,
    function(err)
      require("claudecode.log").warn("diff", "What is alike is not folded: " .. err)
    end
  )
  return function()
    stopped = true
  end
end

return M
