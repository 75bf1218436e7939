--- What of oil.nvim is used.

local panel = require("panel")

local M = {}

function M.open(folder)
  local lines = { "../" }
  for _, entry in ipairs(panel.list(folder)) do
    table.insert(lines, entry.name .. (entry.type == "directory" and "/" or ""))
  end
  local name = "oil://" .. folder .. "/"
  vim.api.nvim_buf_set_name(panel.open("oil", lines), name)
end

--- Only of folders on this machine.
function M.get_current_dir(buf)
  return vim.api.nvim_buf_get_name(buf or 0):match("^oil://(/.*)$")
end

function M.get_entry_on_line(buf, line)
  local text = vim.api.nvim_buf_get_lines(buf, line - 1, line, true)[1]
  local name = text:gsub("/$", "")
  return name ~= "" and { name = name, type = name == text and "file" or "directory", parsed_name = name } or nil
end

function M.get_cursor_entry()
  return M.get_entry_on_line(0, vim.fn.line("."))
end

function M.setup() end

return M
