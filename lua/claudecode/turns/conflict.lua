--- Shows how what Claude changed in a file and what changed there since are in each other's way.

local names = require("claudecode.diff.names")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

--- Opens a buffer of its own with both, which is gone with its window. Nobody else sees it.
---@param path string
---@param contents string With markers
function M.show(path, contents)
  if #api.nvim_list_uis() == 0 then
    return
  end
  local buf, home = names.new_buffer(true), api.nvim_get_current_win()
  text.silently(function()
    vim.bo[buf].bufhidden = "wipe"
    names.set(buf, path .. " (conflict)")
  end)
  text.fill(buf, contents)
  vim.bo[buf].modified = false
  local win = api.nvim_open_win(buf, true, { split = "below", win = 0 })
  require("claudecode.windows").unfix(win)
  local review = require("claudecode.turns.review").current()
  if review then -- ends with it
    table.insert(review.undo, function()
      if api.nvim_win_is_valid(win) then
        api.nvim_win_close(win, true)
      end
    end)
  end
  text.set_filetype(buf, path, contents)
  vim.keymap.set("n", "q", function()
    api.nvim_win_close(win, true)
    if api.nvim_win_is_valid(home) then
      api.nvim_set_current_win(home)
    end
  end, { buffer = buf, nowait = true, desc = "Close" })
  vim.fn.search("^<<<<<<< ", "cW")
end

return M
