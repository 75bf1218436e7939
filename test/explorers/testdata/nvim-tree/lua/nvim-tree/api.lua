--- What of nvim-tree is used: everything about "the node" is about its window's cursor.

local panel = require("panel")

local M = { tree = {}, marks = {} }

local nodes, window = {}, nil
local marks = {} -- by path, in no order

function M.tree.open(options)
  nodes = { { name = "..", absolute_path = options.path, type = "directory" } }
  local lines = { options.path .. "/.." }
  for _, entry in ipairs(panel.list(options.path, 1)) do
    table.insert(nodes, { name = entry.name, absolute_path = entry.path, type = entry.type })
    table.insert(lines, ("  "):rep(entry.depth) .. entry.name)
  end
  local _
  _, window = panel.open("NvimTree", lines)
end

function M.tree.get_node_under_cursor()
  return nodes[vim.api.nvim_win_get_cursor(window)[1]]
end

function M.marks.toggle()
  local node = M.tree.get_node_under_cursor()
  marks[node.absolute_path] = not marks[node.absolute_path] and node or nil
end

function M.marks.list()
  return vim.tbl_values(marks)
end

return M
