--- The text of a proposal as it was accepted. A long one is read in slices, while nobody may change
--- it, unless its buffer or the editor goes meanwhile.

local draft = require("claudecode.diff.draft")
local lines = require("mcp-tools.lines")
local slices = require("mcp-tools.slices")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

local group = api.nvim_create_augroup("ClaudeCodeMCPDiff", { clear = false })

--- Whether the text of a buffer is long.
local function is_long(buf)
  return api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf)) >= draft.min_bytes
end

--- Reads the text that a layout proposes.
---@param layout claudecode.Layout
---@param done fun(final: string|string[]) Called once; at once for a short text. A long one comes in parts, which
--- take long to join
---@return fun()? finish Has it called now, if it was not yet
function M.read(layout, done)
  local buf = layout.buf
  if not (layout.is_whole or layout.parts) or not is_long(buf) then
    return done(layout.text())
  end
  local autocmds, over = {}, false
  local function finish(parts)
    if over then
      return
    end
    over = true
    vim.iter(autocmds):each(api.nvim_del_autocmd)
    if parts and layout.is_whole and vim.bo[buf].bomb then
      table.insert(parts, 1, text.bom)
    end
    done(parts or layout.text())
  end
  local function now()
    finish()
  end
  for event, options in pairs({ BufUnload = { buffer = buf }, VimLeavePre = {} }) do
    options.group, options.desc, options.callback = group, "Reads what was accepted", now
    table.insert(autocmds, api.nvim_create_autocmd(event, options))
  end
  slices.run(function()
    finish(layout.parts and layout.parts() or (lines.read(buf)))
  end, function()
    return not over
  end, now)
  return now
end

return M
