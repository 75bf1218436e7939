--- Which window a file may be opened in.

local M = {}

local api = vim.api

local special_buftypes = { terminal = true, nofile = true, prompt = true, quickfix = true }

local special_filetypes = {
  ["neo-tree"] = true,
  ["neo-tree-popup"] = true,
  NvimTree = true,
  oil = true,
  minifiles = true,
  netrw = true,
  aerial = true,
  tagbar = true,
}

local function is_floating(win)
  return api.nvim_win_get_config(win).relative ~= ""
end

--- Whether the window shows, or could show, a file that is edited.
local function is_editor(win)
  local bo = vim.bo[api.nvim_win_get_buf(win)]
  return not is_floating(win)
    and not special_buftypes[bo.buftype]
    and not special_filetypes[bo.filetype]
    and not vim.wo[win].diff
    and not vim.wo[win].winfixbuf
    and not vim.wo[win].previewwindow
end

--- The first editor window of all tab pages.
---@return integer? win
function M.find_editor()
  return vim.iter(api.nvim_list_wins()):find(is_editor)
end

--- The window right of the top left one, or that one if it has none to its right.
local function beside_top_left()
  local top_left = vim.iter(api.nvim_tabpage_list_wins(0)):find(function(win)
    return not is_floating(win)
  end)
  return api.nvim_win_call(top_left, function()
    return vim.fn.win_getid(vim.fn.winnr("l"))
  end)
end

--- A window for a file where find_editor() found none: a new one beside what is there.
---@return integer win
function M.make_editor()
  local win = api.nvim_open_win(api.nvim_create_buf(true, false), false, {
    split = "right",
    win = beside_top_left(),
    noautocmd = true,
  })
  -- A split takes over the options of the window it came from.
  vim.wo[win][0].winfixbuf, vim.wo[win][0].winfixwidth = false, false
  return win
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
