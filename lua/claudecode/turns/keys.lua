--- The keys of a review.

local pager = require("claudecode.turns.pager")

local M = {}

local api = vim.api

local function close()
  require("claudecode.turns.review").close()
end

--- Takes back the change under the cursor.
local function take_back()
  local line = api.nvim_win_get_cursor(0)[1]
  require("claudecode.turns.revert").here({ first = line, last = line })
end

--- Runs f in the review's windows; in others that show one of its buffers the keys do what they do.
---@param self claudecode.Review
---@param keys string
---@param f fun()
local function in_review(self, keys, f)
  return function()
    local wins = self.view and self.view.wins or {}
    if vim.list_contains(vim.list_extend({ self.list_win }, wins), api.nvim_get_current_win()) then
      return f()
    end
    api.nvim_feedkeys((vim.v.count > 0 and vim.v.count or "") .. vim.keycode(keys), "n", false)
  end
end

--- Maps the keys in the buffers of what is shown.
---@param self claudecode.Review
---@param bufs integer[]
---@return fun() unmap
function M.add(self, bufs)
  local function map(keys, f, desc)
    return { keys, in_review(self, keys, f), desc }
  end
  local function jump(forward)
    return function()
      pager.jump(self, forward)
    end
  end
  return require("claudecode.diff.keymaps").add(bufs, {
    map("]c", jump(true), "Next change of Claude's"),
    map("[c", jump(false), "Previous change of Claude's"),
    map("do", take_back, "Take back Claude's change"),
    map("q", close, "End the review"),
  })
end

--- Maps the keys in the list, which goes with the review.
---@param self claudecode.Review
function M.add_to_list(self)
  vim.keymap.set("n", "q", close, { buffer = self.list, nowait = true, desc = "End the review" })
  vim.keymap.set("n", "<CR>", function()
    pager.show(self, pager.index_at_cursor(), "first")
  end, { buffer = self.list, nowait = true, desc = "Show the file" })
end

return M
