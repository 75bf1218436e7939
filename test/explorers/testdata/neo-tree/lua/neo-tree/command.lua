--- Opens neo-tree.

local panel = require("panel")

local M = {}

local Node = {}
Node.__index = Node

function Node:get_id()
  return self.id
end

function Node:get_depth()
  return self.depth
end

--- By line, by id, or under the cursor.
local function getter(nodes)
  return function(_, key)
    if type(key) == "string" then
      return vim.iter(nodes):find(function(node)
        return node.id == key
      end)
    end
    return nodes[key or vim.fn.line(".")]
  end
end

function M.execute(options)
  local root = { id = options.dir, path = options.dir, type = "directory", depth = 1 }
  local nodes = { setmetatable(root, Node) }
  local lines = { options.dir }
  for _, entry in ipairs(panel.list(options.dir, 2)) do
    local kind = entry.type == "directory" and "directory" or "file"
    local node = { id = entry.path, path = entry.path, type = kind, depth = entry.depth }
    table.insert(nodes, setmetatable(node, Node))
    table.insert(lines, ("  "):rep(entry.depth) .. entry.name)
  end
  table.insert(nodes, setmetatable({ id = "hidden", type = "message", depth = 2 }, Node))
  table.insert(lines, "    (2 hidden items)")
  local buf = panel.open("neo-tree", lines)
  vim.b[buf].neo_tree_source, vim.b[buf].neo_tree_position = "filesystem", "left"
  require("neo-tree.sources.manager").get_state("filesystem").tree = { get_node = getter(nodes) }
end

return M
