--- nvim-tree.

local M = {}

local root_level_refused = "Cannot add root-level file. Please select a file in a subdirectory."

local function nvim_tree()
  local ok, nvim_tree_api = pcall(require, "nvim-tree.api")
  return ok and nvim_tree_api or nil
end

--- The path of a node, unless it is a file directly below `/`.
---@return string? path
---@return boolean? is_root_level
local function path_of(node)
  local path = node and node.absolute_path
  if not path or path == "" then
    return nil
  elseif node.type ~= "directory" and path:find("^/[^/]*$") then
    return nil, true
  end
  return path
end

--- Marked files, sorted: the explorer keeps them in no order.
local function marked(tree)
  local paths = {}
  for _, node in ipairs(tree.marks.list() or {}) do
    table.insert(paths, node.type ~= "directory" and path_of(node) or nil)
  end
  table.sort(paths)
  return paths
end

function M.selected()
  local tree = nvim_tree()
  if not tree then
    return nil, "nvim-tree not available"
  end
  local paths = marked(tree)
  if #paths > 0 then
    return paths
  end
  local path, is_root_level = path_of(tree.tree.get_node_under_cursor())
  if not path then
    return nil, is_root_level and root_level_refused or "No file found under cursor"
  end
  return { path }
end

--- All but the root, which is there whatever is selected.
function M.in_range(first, last)
  local tree = nvim_tree()
  if not tree then
    return nil, "nvim-tree not available"
  end
  local paths = {}
  require("claudecode.explorers.still").each(first, last, function()
    local node = tree.tree.get_node_under_cursor()
    table.insert(paths, node and node.name ~= ".." and path_of(node) or nil)
  end)
  return paths
end

return M
