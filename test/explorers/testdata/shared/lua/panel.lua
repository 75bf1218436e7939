--- The window of an explorer, and what it lists.

local M = {}

---@class Entry
---@field name string
---@field path string
---@field type string As the file system says
---@field depth integer

--- What is in a folder, folders first; with what is in those if depth is given.
---@return Entry[]
function M.list(folder, depth)
  local entries = {}
  for name, kind in vim.fs.dir(folder) do
    table.insert(entries, { name = name, path = folder .. "/" .. name, type = kind, depth = depth or 0 })
  end
  table.sort(entries, function(a, b)
    if a.type ~= b.type and (a.type == "directory" or b.type == "directory") then
      return a.type == "directory"
    end
    return a.name < b.name
  end)
  if not depth then
    return entries
  end
  local all = {}
  for _, entry in ipairs(entries) do
    table.insert(all, entry)
    if entry.type == "directory" then
      vim.list_extend(all, M.list(entry.path, depth + 1))
    end
  end
  return all
end

--- Opens a window at the left.
---@return integer buf
---@return integer win
function M.open(filetype, lines)
  vim.cmd("topleft 30vsplit")
  local buf, win = vim.api.nvim_create_buf(false, true), vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, buf)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = filetype
  return buf, win
end

return M
