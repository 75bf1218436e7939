--- A review: the files of one turn in a tab page of its own, a list of them below the one that is
--- shown. There is at most one, and whatever ends it closes all of it.

local cleanup = require("claudecode.cleanup")
local list = require("claudecode.turns.list")
local pager = require("claudecode.turns.pager")

local M = {}

local api = vim.api

---@class claudecode.Review
---@field turn claudecode.Turn
---@field place claudecode.Place
---@field options claudecode.DiffOptions
---@field list integer
---@field list_win integer
---@field back table<string, boolean> By path, the files that are as they were before
---@field at? integer The file that is shown
---@field view? claudecode.ReviewView
---@field loading? integer The file that the daemon was asked for
---@field switching boolean Whether windows come and go because another file is shown
---@field ended boolean
---@field undo fun()[]

local open ---@type claudecode.Review?

--- The review that is open.
---@return claudecode.Review?
function M.current()
  return open
end

--- Closes all of it.
function M.close()
  local self = open
  if self then
    open, self.ended = nil, true
    cleanup.run(self.undo)
  end
end

--- The file that the cursor means, and what of it: the lines of a range if they can be told.
---@param range? claudecode.Range Lines of the current window
---@return claudecode.TurnFile? file nil outside of a review
---@return claudecode.Range? range Lines of the file
---@return boolean whole Whether the window shows files, and not lines of one
function M.here(range)
  local self, win = open, api.nvim_get_current_win()
  if not self then
    return nil, nil, false
  elseif win == self.list_win then
    return self.turn.files[pager.index_at_cursor()], nil, true
  elseif self.view and vim.list_contains(self.view.wins, win) then
    return self.turn.files[self.at], range and self.view.range(range.first, range.last), false
  end
  return nil, nil, false
end

--- Shows what a file is now, in which a change was taken back.
---@param path string
---@param exists boolean
function M.refresh(path, exists)
  if open then
    pager.refresh(open, path, exists)
  end
end

--- What is taken back of the files that are not shown.
---@param paths table<string, boolean>
function M.taken_back(paths)
  if open then
    open.back = vim.tbl_extend("force", open.back, paths)
    list.write(open.list, open.turn, open.back)
  end
end

--- Ends the review once one of its windows is closed.
---@param self claudecode.Review
local function watch(self)
  local id = api.nvim_create_autocmd("WinClosed", {
    desc = "Ends the review of Claude's changes",
    callback = function(event)
      local wins = vim.list_extend({ self.list_win, self.place.anchor }, self.view and self.view.wins or {})
      if not self.switching and not self.ended and vim.list_contains(wins, tonumber(event.match)) then
        vim.schedule(function()
          if not self.ended then
            M.close()
          end
        end)
      end
    end,
  })
  table.insert(self.undo, function()
    api.nvim_del_autocmd(id)
  end)
end

--- Opens the review of a turn, in place of the one that is open.
---@param turn claudecode.Turn
function M.open(turn)
  M.close()
  local options = vim.tbl_extend("force", require("claudecode").state.config.diff_opts, { open_in_new_tab = true })
  local place = require("claudecode.diff.place").choose(turn.files[1].path, options)
  local self = { ---@type claudecode.Review
    turn = turn,
    place = place,
    options = options,
    list = 0,
    list_win = 0,
    back = {},
    switching = false,
    ended = false,
    undo = {},
  }
  table.insert(self.undo, function()
    place:close()
  end)
  table.insert(self.undo, function()
    pager.leave(self)
  end)
  cleanup.guard(self.undo, function()
    self.list, self.list_win = list.open(place, turn)
  end)
  open = self
  pager.mark(self, { self.list_win, place.anchor })
  watch(self)
  require("claudecode.turns.keys").add_to_list(self)
  api.nvim_set_current_win(self.list_win)
  pager.show(self, 1, "first")
end

return M
