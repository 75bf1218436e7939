--- getOpenEditors: the buffers that the user has open.

local tools = require("claudecode.tools")
local paths = require("claudecode.paths")

local api = vim.api

local function is_open(buf)
  return api.nvim_buf_is_loaded(buf) and vim.bo[buf].buflisted and api.nvim_buf_get_name(buf) ~= ""
end

--- The selection, if it is one in this buffer.
local function selection_in(name)
  local latest = require("claudecode.selection").get_latest_selection()
  if latest and latest.filePath == name then
    return { start = latest.selection.start, ["end"] = latest.selection["end"], isReversed = false }
  end
end

local function entry(buf)
  local name = api.nvim_buf_get_name(buf)
  local active = buf == api.nvim_get_current_buf()
  local page = api.nvim_get_current_tabpage()
  local filetype = vim.bo[buf].filetype
  return {
    uri = paths.to_uri(name),
    fileName = name,
    label = vim.fs.basename(name),
    languageId = filetype ~= "" and filetype or "plaintext",
    lineCount = api.nvim_buf_line_count(buf),
    isActive = active,
    isDirty = vim.bo[buf].modified,
    isPinned = false,
    isPreview = false,
    isUntitled = paths.is_untitled(name),
    groupIndex = page - 1,
    viewColumn = page,
    isGroupActive = true,
    selection = active and selection_in(name) or nil,
  }
end

return {
  paths = require("mcp-tools.permissions.touches").none,
  execute = function(cb)
    cb(tools.json({ tabs = vim.tbl_map(entry, vim.tbl_filter(is_open, api.nvim_list_bufs())) }))
  end,
}
