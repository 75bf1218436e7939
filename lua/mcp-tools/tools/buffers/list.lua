--- buffers_list: which buffers there are.

local disk = require("claudecode.disk")
local filter = require("claudecode.selection.filter")
local slices = require("mcp-tools.slices")

local api = vim.api

--- Buffers in one answer.
local max_buffers = 1000

---@param buf integer
local function describe(buf)
  local level, loaded, name = filter.of(buf), api.nvim_buf_is_loaded(buf), api.nvim_buf_get_name(buf)
  local bo = vim.bo[buf]
  return {
    bufnr = buf,
    -- The names of terminals and the like hold whatever was typed.
    name = level ~= "none" and name or nil,
    buftype = bo.buftype,
    filetype = bo.filetype,
    listed = bo.buflisted,
    loaded = loaded,
    modified = bo.modified,
    readonly = bo.readonly or not bo.modifiable,
    line_count = loaded and api.nvim_buf_line_count(buf) or nil,
    changed_on_disk = loaded and disk.changed(buf) or nil,
    current = buf == require("claudecode.current").buf(),
    windows = vim.fn.win_findbuf(buf),
    text_withheld = level ~= "full",
  }
end

return {
  name = "buffers_list",
  description = "List the buffers: number, path, whether modified, loaded, shown in a window, changed on disk, and how"
    .. " many lines",
  args = {
    all = { type = "boolean", description = "Unlisted buffers too", default = false },
  },
  paths = require("mcp-tools.permissions.touches").none,
  annotations = { title = "List buffers", readOnlyHint = true },
  execute = function(cb, args, ctx)
    local list = vim.tbl_filter(function(buf)
      return args.all or vim.bo[buf].buflisted
    end, api.nvim_list_bufs())
    local found = {}
    slices.run(function()
      for i = 1, math.min(#list, max_buffers) do
        if api.nvim_buf_is_valid(list[i]) then
          table.insert(found, describe(list[i]))
        end
        slices.pause()
      end
      cb({ buffers = found, count = #found, more = #list > max_buffers and #list - max_buffers or nil })
    end, function()
      return not ctx.cancelled()
    end, function(err)
      cb(nil, err)
    end)
  end,
}
