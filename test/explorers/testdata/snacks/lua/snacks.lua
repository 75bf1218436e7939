--- What of snacks.nvim is used: pickers, of which the explorer is one.

local panel = require("panel")

local M = { picker = { util = {} } }

local pickers = {}

local List = {}
List.__index = List

function List:row2idx(row)
  return row + self.top - 1
end

function List:get(index)
  return self.items[index]
end

local Picker = {}
Picker.__index = Picker

function Picker:selected(options)
  if #self.list.selected == 0 and options and options.fallback then
    return { self.list:get(self.list:row2idx(vim.api.nvim_win_get_cursor(self.list.win.win)[1])) }
  end
  return vim.deepcopy(self.list.selected)
end

--- Opens a picker of items, and goes to its list.
function M.picker.pick(options)
  local lines = vim.tbl_map(function(item)
    return item.text
  end, options.items)
  local _, input = panel.open("snacks_picker_input", { "" })
  local _, win = panel.open("snacks_picker_list", lines)
  local list = { items = options.items, selected = {}, top = 1, win = { win = win } }
  local picker = setmetatable({ list = setmetatable(list, List), input = { win = { win = input } } }, Picker)
  table.insert(pickers, picker)
  return picker
end

function M.picker.get()
  return pickers
end

function M.picker.util.path(item)
  return vim.fs.normalize(item.cwd and item.cwd .. "/" .. item.file or item.file, { expand_env = false })
end

function M.explorer(options)
  local items = {}
  for _, entry in ipairs(panel.list(options.cwd, 0)) do
    table.insert(items, { file = entry.path, text = ("  "):rep(entry.depth) .. entry.name })
  end
  return M.picker.pick({ items = items })
end

function M.setup() end

return M
