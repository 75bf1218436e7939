--- neo-tree, each of its sources that shows files.

local M = {}

--- What the current window shows.
---@return table? state
---@return string? err
local function state_of_window()
  local ok, manager = pcall(require, "neo-tree.sources.manager")
  if not ok then
    return nil, "neo-tree not available"
  end
  local state = manager.get_state_for_window()
  if not state or not state.tree then
    return nil, "neo-tree filesystem state not available"
  end
  return state
end

---@return string?
local function path_of(node)
  if node and (node.type == "file" or node.type == "directory") then
    return node.path or node:get_id()
  end
end

--- Selected files, sorted: the explorer keeps them in no order.
local function selected(state)
  local paths = {}
  for id in pairs(state.selected or {}) do
    local node = state.tree:get_node(id)
    table.insert(paths, node and node.type == "file" and path_of(node) or nil)
  end
  table.sort(paths)
  return paths
end

function M.selected()
  local state, err = state_of_window()
  if not state then
    return nil, err
  end
  local paths = selected(state)
  if #paths > 0 then
    return paths
  end
  local path = path_of(state.tree:get_node(vim.fn.line(".")))
  if not path then
    return nil, "No file found under cursor"
  end
  return { path }
end

--- All but the root, which is there whatever is selected.
function M.in_range(first, last)
  local state, err = state_of_window()
  if not state then
    return nil, err
  end
  local paths = {}
  for line = first, last do
    local node = state.tree:get_node(line)
    table.insert(paths, node and node:get_depth() > 1 and path_of(node) or nil)
  end
  return paths
end

return M
