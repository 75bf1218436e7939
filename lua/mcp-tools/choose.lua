--- Lets the user choose: by their own |vim.ui.select()|, else in a window of ours. The one that Neovim
--- brings waits for its answer and holds up the whole editor.

local words = require("claudecode.words")

local M = {}

local api = vim.api

--- For how long a window that has just opened takes no answer: what is typed then was meant for
--- another. Milliseconds.
M.grace_ms = 500

---@class (exact) mcp_tools.ChooseOptions
---@field prompt string
---@field kind? string As of vim.ui.select
---@field format_item? fun(item: any): string
---@field title? string Of our window
---@field footer? string
---@field filetype? string
---@field again? fun(index: integer): any[]? What our window goes on with after this choice; nil: it is the answer
---@field describe? fun(width: integer): string[] What our window shows instead of the prompt

local function is_builtin()
  return debug.getinfo(vim.ui.select, "S").source:gsub("\\", "/"):find("vim/ui%.lua$") ~= nil
end

--- Runs f.
---@param f fun()
---@return fun() close Closes the floating windows that f opened
function M.opened_by(f)
  local before = {}
  for _, win in ipairs(api.nvim_list_wins()) do
    before[win] = true
  end
  f()
  local mine = vim.tbl_filter(function(win)
    return not before[win] and api.nvim_win_get_config(win).relative ~= ""
  end, api.nvim_list_wins())
  return function()
    for _, win in ipairs(mine) do
      if api.nvim_win_is_valid(win) then
        pcall(api.nvim_win_close, win, true)
      end
    end
  end
end

local function select(items, options, answer)
  return M.opened_by(function()
    vim.ui.select(items, { prompt = options.prompt, kind = options.kind, format_item = options.format_item }, answer)
  end)
end

---@return integer buf
---@return integer win
local function create(lines, width, options)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable = "wipe", false
  vim.bo[buf].filetype = options.filetype or "claudecode-question"
  local height = math.min(#lines, math.max(1, vim.o.lines - 4))
  local ok, win = pcall(api.nvim_open_win, buf, true, {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    style = "minimal",
    border = "rounded",
    title = options.title or " Question ",
    footer = options.footer or " Enter: choose   q: leave ",
    zindex = 200,
  })
  if not ok then
    api.nvim_buf_delete(buf, { force = true })
    error(win, 0)
  end
  vim.wo[win].cursorline, vim.wo[win].wrap = true, true
  return buf, win
end

--- A window with the question, in which the cursor chooses.
---@param items any[]
---@param options mcp_tools.ChooseOptions
---@param answer fun(item?: any, index?: integer)
---@return fun() close
local function window(items, options, answer)
  local before, mode = api.nvim_get_current_win(), api.nvim_get_mode().mode
  local width = math.max(20, math.min(80, vim.o.columns - 4))
  local lines = options.describe and options.describe(width) or { words.plain(options.prompt), "" }
  local first = #lines + 1
  local function shown()
    local texts = {}
    for i, item in ipairs(items) do
      texts[i] = ("%d %s"):format(i, words.plain((options.format_item or tostring)(item)))
    end
    return texts
  end
  vim.list_extend(lines, shown())
  local buf, win = create(lines, width, options)
  api.nvim_win_set_cursor(win, { first, 0 })
  local opened, over = vim.uv.hrtime(), false

  local function close(index, silent)
    if over then
      return
    end
    over = true
    local had_focus = api.nvim_get_current_win() == win
    if api.nvim_win_is_valid(win) then
      api.nvim_win_close(win, true)
    end
    if had_focus and api.nvim_win_is_valid(before) then
      api.nvim_set_current_win(before)
      if mode == "t" then
        vim.cmd.startinsert()
      end
    end
    if not silent then
      answer(items[index], index)
    end
  end
  local function choose(index)
    local others = options.again and options.again(index)
    if not others then
      return close(index)
    end
    items = others
    vim.bo[buf].modifiable = true
    api.nvim_buf_set_lines(buf, first - 1, -1, true, shown())
    vim.bo[buf].modifiable = false
  end
  local function map(key, act)
    vim.keymap.set("n", key, function()
      if (vim.uv.hrtime() - opened) / 1e6 >= M.grace_ms then
        act()
      end
    end, { buffer = buf, nowait = true })
  end
  for i = 1, math.min(#items, 9) do
    map(tostring(i), function()
      choose(i)
    end)
  end
  map("<CR>", function()
    local index = api.nvim_win_get_cursor(win)[1] - first + 1
    if items[index] ~= nil then
      choose(index)
    end
  end)
  for _, key in ipairs({ "q", "<Esc>" }) do
    map(key, function()
      close()
    end)
  end
  -- The buffer goes with its window, whatever closes that.
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      vim.schedule(function()
        close()
      end)
    end,
  })
  return function()
    close(nil, true)
  end
end

--- Shows a question. The answer is nil if the user gives none.
---@param items any[]
---@param options mcp_tools.ChooseOptions
---@param answer fun(item?: any, index?: integer)
---@return fun() close Takes it away, as far as that is possible
function M.show(items, options, answer)
  return (is_builtin() and window or select)(items, options, answer)
end

return M
