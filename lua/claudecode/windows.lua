--- Which window a file or a diff may be opened in.

local M = {}

local api = vim.api

local special_buftypes = { terminal = true, nofile = true, prompt = true, quickfix = true }

--- Explorers, outlines, debuggers and the like: their windows are theirs.
local special_filetypes = {
  ["neo-tree"] = true,
  ["neo-tree-popup"] = true,
  NvimTree = true,
  oil = true,
  minifiles = true,
  netrw = true,
  aerial = true,
  tagbar = true,
  snacks_picker_list = true,
  snacks_layout_box = true,
  ["dap-repl"] = true,
  DiffviewFiles = true,
  DiffviewFileHistory = true,
  fugitive = true,
  trouble = true,
  Trouble = true,
  Outline = true,
}

local function is_special_filetype(filetype)
  return special_filetypes[filetype] or vim.startswith(filetype, "dapui_")
end

function M.is_floating(win)
  return api.nvim_win_get_config(win).relative ~= ""
end

--- Whether the window belongs to a diff of ours, decided or not.
---@param win integer
function M.is_ours(win)
  return vim.w[win].claudecode_diff ~= nil or vim.b[api.nvim_win_get_buf(win)].claudecode_diff_tab_name ~= nil
end

--- Whether the window is in a diff, the user's or ours.
---@param win integer
function M.is_diff(win)
  return vim.wo[win].diff or M.is_ours(win)
end

--- Whether the window is one to edit in, and in no diff.
---@param win integer
---@param allowed_buftype? string One that counts as a file's
local function is_editor(win, allowed_buftype)
  local bo = vim.bo[api.nvim_win_get_buf(win)]
  return not M.is_floating(win)
    and (bo.buftype == allowed_buftype or not special_buftypes[bo.buftype])
    and not is_special_filetype(bo.filetype)
    and not M.is_diff(win)
    and not vim.wo[win].winfixbuf
    and not vim.wo[win].previewwindow
    and vim.fn.win_gettype(win) ~= "command"
end

M.is_editor = is_editor

--- The windows of all tab pages, those of this one first, the current one before them.
local function nearest_first()
  local current, page = api.nvim_get_current_win(), api.nvim_get_current_tabpage()
  local wins = vim.list_extend({ current }, api.nvim_tabpage_list_wins(page))
  return vim.list_extend(wins, api.nvim_list_wins())
end

--- The first editor window of all tab pages.
---@return integer? win
function M.find_editor()
  return vim.iter(api.nvim_list_wins()):find(function(win)
    return is_editor(win)
  end)
end

--- A window that shows the buffer, in no diff, floating or fixed; the nearest one.
---@param buf integer?
---@return integer? win
function M.find_showing(buf)
  return buf
    and vim.iter(nearest_first()):find(function(win)
      return api.nvim_win_get_buf(win) == buf and is_editor(win)
    end)
end

--- A window of the user's beside which a diff is shown: the first editor window of this tab page,
--- else of all. A scratch buffer, as a start screen has, counts.
---@return integer? win
function M.find_anchor()
  local wins = vim.list_extend(api.nvim_tabpage_list_wins(0), api.nvim_list_wins())
  return vim.iter(wins):find(function(win)
    return is_editor(win, "nofile")
  end)
end

--- Whether the window shows an empty buffer without a name, as Neovim has at its start.
---@param win integer
---@return boolean
function M.is_empty(win)
  local buf = api.nvim_win_get_buf(win)
  local bo = vim.bo[buf]
  return api.nvim_buf_get_name(buf) == ""
    and bo.buftype == ""
    and bo.bufhidden == ""
    and not bo.modified
    and api.nvim_buf_line_count(buf) == 1
    and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

--- The window right of the top left one, or that one if it has none to its right.
local function beside_top_left()
  local top_left = vim.iter(api.nvim_tabpage_list_wins(0)):find(function(win)
    return not M.is_floating(win)
  end)
  return api.nvim_win_call(top_left, function()
    return vim.fn.win_getid(vim.fn.winnr("l"))
  end)
end

--- A window for a file where find_editor() found none: a new one beside what is there.
---@param buf? integer What it shows; a new buffer by default
---@return integer win
function M.make_editor(buf)
  local beside = beside_top_left()
  local is_terminal = vim.bo[api.nvim_win_get_buf(beside)].buftype == "terminal"
  local win = api.nvim_open_win(buf or api.nvim_create_buf(true, false), false, {
    split = buf and is_terminal and "left" or "right",
    win = beside,
    noautocmd = true,
  })
  M.unfix(win)
  return win
end

--- Takes from a new window what it took over from the one that it was split from.
---@param win integer
function M.unfix(win)
  local wo = vim.wo[win][0]
  wo.winfixbuf, wo.winfixwidth, wo.winfixheight = false, false, false
end

--- Closes a window that make_editor() made, with its empty buffer.
---@param win integer
function M.close(win)
  if not api.nvim_win_is_valid(win) then
    return
  end
  local buf = api.nvim_win_get_buf(win)
  api.nvim_win_close(win, true)
  if api.nvim_buf_is_valid(buf) and api.nvim_buf_get_name(buf) == "" and not vim.bo[buf].modified then
    pcall(api.nvim_buf_delete, buf, {})
  end
end

return M
