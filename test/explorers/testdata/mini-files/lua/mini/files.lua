--- What of mini.files is used.

local panel = require("panel")

local M = {}

local opened = {} -- by buffer: the entries

function M.open(folder)
  local entries = panel.list(folder)
  local lines = {}
  for number, entry in ipairs(entries) do
    table.insert(lines, ("/%d/ /%s"):format(number, entry.name))
  end
  table.insert(lines, "new file")
  opened[panel.open("minifiles", lines)] = entries
end

--- Fails on a buffer that is not its own; nil where no entry is.
function M.get_fs_entry(buf, line)
  buf = buf or vim.api.nvim_get_current_buf()
  local entries = assert(opened[buf], "`buf_id` should be an identifier of an opened directory buffer.")
  local text = vim.api.nvim_buf_get_lines(buf, (line or vim.fn.line(".")) - 1, line or vim.fn.line("."), true)[1]
  local entry = entries[tonumber(text:match("^/(%d+)/"))]
  return entry and { fs_type = entry.type, name = entry.name, path = entry.path }
end

function M.setup() end

return M
