--- The windows of a tab page beside Claude's: its coming and going leaves their sizes as they were.

local M = {}

local api = vim.api

---@class claudecode.Sizes
---@field room integer[]
---@field wins integer[]
---@field sizes table<integer, integer[]>

--- The sizes of a tab page's windows, floating ones and one more left out.
---@param page integer
---@param except? integer
---@return claudecode.Sizes
local function measure(page, except)
  local wins = vim.tbl_filter(function(win)
    return win ~= except and api.nvim_win_get_config(win).relative == ""
  end, api.nvim_tabpage_list_wins(page))
  local sizes = {}
  for _, win in ipairs(wins) do
    sizes[win] = { api.nvim_win_get_width(win), api.nvim_win_get_height(win) }
  end
  return { room = { vim.o.columns, vim.o.lines, vim.o.cmdheight }, wins = wins, sizes = sizes }
end

local known = {} ---@type table<integer, { before: claudecode.Sizes, after: claudecode.Sizes }>

--- Opens a window and remembers the sizes of the others, before and after.
---@param open fun(): integer
---@return integer win
function M.opening(open)
  local page = api.nvim_get_current_tabpage()
  local before = measure(page)
  local win = open()
  known[win] = { before = before, after = measure(page, win) }
  return win
end

--- Sets the sizes; twice, as each window's depends on the others'.
---@param saved claudecode.Sizes
local function apply(saved)
  for _ = 1, 2 do
    for _, win in ipairs(saved.wins) do
      api.nvim_win_set_width(win, saved.sizes[win][1])
      api.nvim_win_set_height(win, saved.sizes[win][2])
    end
  end
end

--- Closes a window; the others get the sizes they had before it came, unless they are not the
--- same windows any more or the user gave them others.
---@param win integer
---@param close fun()
function M.closing(win, close)
  local page, saved = api.nvim_win_get_tabpage(win), known[win]
  known[win] = nil
  local untouched = saved and vim.deep_equal(measure(page, win), saved.after)
  close()
  if untouched and api.nvim_tabpage_is_valid(page) then
    api.nvim_win_call(saved.before.wins[1], function()
      apply(saved.before)
    end)
  end
end

api.nvim_create_autocmd("WinClosed", {
  group = api.nvim_create_augroup("ClaudeCodeTerminalLayout", { clear = true }),
  desc = "Forgets what was known of a window",
  callback = function(args)
    known[tonumber(args.match)] = nil
  end,
})

return M
