--- snacks.nvim: the explorer, and the list and the input of each picker.

local M = {}

---@return table? pickers Snacks.picker
local function pickers()
  local ok, snacks = pcall(require, "snacks")
  local found = ok and snacks.picker
  return found and type(found.get) == "function" and found or nil
end

--- The picker of the current window, else the last of this tab page.
---@return table?
local function picker_of_window(list)
  local win = vim.api.nvim_get_current_win()
  local current = vim.iter(list):find(function(picker)
    return vim.tbl_get(picker, "list", "win", "win") == win or vim.tbl_get(picker, "input", "win", "win") == win
  end)
  return current or list[#list]
end

--- The paths of items that have one and exist.
local function paths_of(items, util)
  local paths = {}
  for _, item in ipairs(items) do
    local file = item.file
    if type(file) == "string" and file ~= "" then
      local path = util and util.path(item) or item.cwd and vim.fs.joinpath(item.cwd, file) or file
      table.insert(paths, vim.uv.fs_stat(path) and path or nil)
    end
  end
  return paths
end

--- Asks the picker for items.
---@param ask fun(picker: table): table[]
local function files(ask)
  local snacks = pickers()
  if not snacks then
    return nil, "snacks.nvim picker not available"
  end
  local picker = picker_of_window(snacks.get() or {})
  if not picker then
    return nil, "No active snacks picker found"
  end
  local ok, items = pcall(ask, picker)
  if not ok then
    return nil, "Failed to read snacks picker selection"
  end
  local paths = paths_of(items, snacks.util)
  if #paths == 0 then
    return nil, "No file found in snacks picker selection"
  end
  return paths
end

function M.selected()
  return files(function(picker)
    return picker:selected({ fallback = true })
  end)
end

function M.in_range(first, last)
  return files(function(picker)
    local items = {}
    for row = first, last do
      table.insert(items, (picker.list:get(picker.list:row2idx(row))))
    end
    return items
  end)
end

return M
