--- Which file of a review is shown, and how it comes to be another one.

local ask = require("claudecode.turns.ask")
local list = require("claudecode.turns.list")
local log = require("claudecode.log")
local strict = require("claudecode.strict")

local M = {}

local api = vim.api

--- Marks windows of a review, which nobody else may take.
---@param self claudecode.Review
---@param wins integer[]
function M.mark(self, wins)
  for _, win in ipairs(wins) do
    vim.w[win].claudecode_diff = ("turn %d"):format(self.turn.turn)
  end
end

--- The number of the file that the cursor is on in the list.
---@return integer
function M.index_at_cursor()
  return api.nvim_win_get_cursor(0)[1] - list.heading
end

--- Runs f, in which windows come and go.
---@generic T
---@param self claudecode.Review
---@param f fun(): T
local function switch(self, f)
  self.switching = true
  local ok, result = pcall(f)
  self.switching = false
  return ok, result
end

--- Closes the file that is shown.
---@param self claudecode.Review
function M.leave(self)
  local view = self.view
  self.view = nil
  if view then
    switch(self, view.close)
  end
end

--- Whether the cursor is in the file that is shown.
---@param self claudecode.Review
local function is_inside(self)
  return self.view ~= nil and vim.list_contains(self.view.wins, api.nvim_get_current_win())
end

---@param self claudecode.Review
---@param index integer
---@param texts claudecode.TurnTexts
---@return boolean shown
local function open(self, index, texts)
  local file = self.turn.files[index]
  if is_inside(self) and api.nvim_get_mode().mode ~= "n" then
    return false -- The user began to do something in what is shown.
  end
  M.leave(self)
  local ok, view = switch(self, function()
    return require("claudecode.turns.view").open(file, texts, self.options.layout, self.place)
  end)
  if not ok then
    log.error("review", ("%s cannot be shown: %s"):format(file.path, strict.reason(view)))
    return false
  end
  self.at, self.view = index, view
  M.mark(self, view.wins)
  local unmap = require("claudecode.turns.keys").add(self, view.bufs)
  local close = view.close
  function view.close()
    unmap()
    close()
  end
  self.back[file.path] = require("claudecode.turns.plan").same(texts.before, texts.now)
  list.write(self.list, self.turn, self.back)
  api.nvim_win_set_cursor(self.list_win, { index + list.heading, 0 })
  return true
end

--- Whether what the user typed meanwhile leaves the cursor where it was.
local function is_still_in(win)
  return api.nvim_get_current_win() == win and api.nvim_get_mode().mode == "n"
end

--- Shows a file.
---@param self claudecode.Review
---@param index integer
---@param where "first"|"last" Which of its changes the cursor goes to
function M.show(self, index, where)
  local file, win = self.turn.files[index], api.nvim_get_current_win()
  if not file or self.loading == index then
    return
  end
  self.loading = index
  ask.about(self.turn, "turn_file", { path = file.path }, function(texts, err)
    if self.ended or self.loading ~= index then
      return
    end
    self.loading = nil
    if not texts then
      return log.error("review", ("%s cannot be shown: %s"):format(file.path, err))
    end
    if open(self, index, texts) and (is_still_in(win) or not api.nvim_win_is_valid(win)) then
      api.nvim_set_current_win(self.view.win)
      self.view.enter(where == "last")
    end
  end)
end

--- Moves the cursor to the next or the previous change, in the next or previous file if need be.
---@param self claudecode.Review
---@param forward boolean
function M.jump(self, forward)
  if not self.view or self.loading or is_inside(self) and self.view.jump(forward) then
    return
  end
  local index = self.at + (forward and 1 or -1)
  if not self.turn.files[index] then
    return log.info("review", forward and "This is the last change" or "This is the first change")
  end
  M.show(self, index, forward and "first" or "last")
end

--- Shows what a file is now, in which a change was taken back.
---@param self claudecode.Review
---@param path string
---@param exists boolean
function M.refresh(self, path, exists)
  local file = self.at and self.turn.files[self.at]
  if not file or file.path ~= path or not self.view then
    return
  elseif self.view.live and exists then
    -- It shows that by itself. The user's undo history is in it now, so it stays.
    vim.bo[self.view.live].buflisted = true
    return
  end
  local win = self.view.win
  local cursor = api.nvim_win_is_valid(win) and api.nvim_win_get_cursor(win) or { 1, 0 }
  local inside = is_inside(self)
  ask.about(self.turn, "turn_file", { path = path }, function(texts)
    if self.ended or not texts or self.turn.files[self.at] ~= file or not open(self, self.at, texts) then
      return
    end
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(self.view.win))
    api.nvim_win_set_cursor(self.view.win, { math.min(cursor[1], last), cursor[2] })
    if inside then
      api.nvim_set_current_win(self.view.win)
    end
  end)
end

return M
