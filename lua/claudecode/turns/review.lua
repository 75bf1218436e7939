--- A review: the files of one turn in a tab page of its own, a list of them below the one that is
--- shown. There is at most one, and whatever ends it closes all of it.

local ask = require("claudecode.turns.ask")
local list = require("claudecode.turns.list")
local log = require("claudecode.log")
local strict = require("claudecode.strict")

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
---@field undo fun()[]

local open ---@type claudecode.Review?

--- The review that is open.
---@return claudecode.Review?
function M.current()
  return open
end

---@param self claudecode.Review
local function run_undo(self)
  for i = #self.undo, 1, -1 do
    strict.try(self.undo[i])
  end
  self.undo = {}
end

--- Closes the file that is shown.
---@param self claudecode.Review
local function leave(self)
  local view = self.view
  self.view = nil
  if view then
    self.switching = true
    view.close()
    self.switching = false
  end
end

--- Closes all of it.
function M.close()
  local self = open
  if not self then
    return
  end
  open = nil
  run_undo(self)
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
    return self.turn.files[api.nvim_win_get_cursor(win)[1] - list.heading], nil, true
  elseif self.view and vim.list_contains(self.view.wins, win) then
    return self.turn.files[self.at], range and self.view.range(range.first, range.last), false
  end
  return nil, nil, false
end

--- Runs f in the review's windows; in others that show one of its buffers the keys do what they do.
---@param keys string
---@param f fun()
local function in_review(keys, f)
  return function()
    local wins = open and open.view and open.view.wins or {}
    if open and vim.list_contains(vim.list_extend({ open.list_win }, wins), api.nvim_get_current_win()) then
      return f()
    end
    api.nvim_feedkeys((vim.v.count > 0 and vim.v.count or "") .. vim.keycode(keys), "n", false)
  end
end

---@return claudecode.DiffMap[]
local function keymaps()
  local function map(keys, f, desc)
    return { keys, in_review(keys, f), desc }
  end
  return {
    map("]c", function()
      M.jump(true)
    end, "Next change of Claude's"),
    map("[c", function()
      M.jump(false)
    end, "Previous change of Claude's"),
    map("do", function()
      local line = api.nvim_win_get_cursor(0)[1]
      require("claudecode.turns.revert").here({ first = line, last = line })
    end, "Take back Claude's change"),
    map("q", M.close, "End the review"),
  }
end

--- Puts the cursor on a change of the file that is shown.
---@param self claudecode.Review
---@param last? boolean On the last one
local function enter(self, last)
  api.nvim_set_current_win(self.view.win)
  self.view.enter(last == true)
end

--- Marks the windows, which nobody else may take.
---@param self claudecode.Review
---@param wins integer[]
local function mark(self, wins)
  for _, win in ipairs(wins) do
    vim.w[win].claudecode_diff = ("turn %d"):format(self.turn.turn)
  end
end

---@param self claudecode.Review
---@param index integer
---@param texts claudecode.TurnTexts
local function show(self, index, texts)
  local file = self.turn.files[index]
  local here = self.view ~= nil and vim.list_contains(self.view.wins, api.nvim_get_current_win())
  if here and api.nvim_get_mode().mode ~= "n" then
    return -- The user began to do something in what is shown.
  end
  leave(self)
  self.switching = true
  local ok, view = pcall(require("claudecode.turns.view").open, file, texts, self.options.layout, self.place)
  self.switching = false
  if not ok then
    return log.error("review", ("%s cannot be shown: %s"):format(file.path, strict.reason(view)))
  end
  self.at, self.view = index, view
  mark(self, view.wins)
  local unmap = require("claudecode.diff.keymaps").add(view.bufs, keymaps())
  local close = view.close
  function view.close()
    unmap()
    close()
  end
  self.back[file.path] = require("claudecode.turns.plan").same(texts.before, texts.now)
  list.write(self.list, self.turn, self.back)
  api.nvim_win_set_cursor(self.list_win, { index + list.heading, 0 })
end

--- Whether what the user typed meanwhile leaves the cursor where it was.
local function is_still_in(win)
  return api.nvim_get_current_win() == win and api.nvim_get_mode().mode == "n"
end

--- Shows a file.
---@param index integer
---@param where "first"|"last" Which of its changes the cursor goes to
function M.show(index, where)
  local self, win = open, api.nvim_get_current_win()
  local file = self and self.turn.files[index]
  if not self or not file or self.loading == index then
    return
  end
  self.loading = index
  ask.about(self.turn, "turn_file", { path = file.path }, function(texts, err)
    if open ~= self or self.loading ~= index then
      return
    end
    self.loading = nil
    if not texts then
      return log.error("review", ("%s cannot be shown: %s"):format(file.path, err))
    end
    show(self, index, texts)
    if self.view and self.at == index and (is_still_in(win) or not api.nvim_win_is_valid(win)) then
      enter(self, where == "last")
    end
  end)
end

--- Moves the cursor to the next or the previous change, in the next or previous file if need be.
---@param forward boolean
function M.jump(forward)
  local self = open
  if not self or not self.view or self.loading then
    return
  end
  local view, win = self.view, api.nvim_get_current_win()
  local in_view = vim.list_contains(view.wins, win)
  if in_view and view.jump(forward) then
    return
  end
  local index = self.at + (forward and 1 or -1)
  if not self.turn.files[index] then
    return log.info("review", forward and "This is the last change" or "This is the first change")
  end
  M.show(index, forward and "first" or "last")
end

--- Shows what a file is now, in which a change was taken back.
---@param path string
---@param exists boolean
function M.refresh(path, exists)
  local self = open
  local file = self and self.at and self.turn.files[self.at]
  if not self or not file or file.path ~= path or not self.view then
    return
  elseif self.view.live and exists then
    -- It shows that by itself. The user's undo history is in it now, so it stays.
    vim.bo[self.view.live].buflisted = true
    return
  end
  local win = self.view.win
  local cursor = api.nvim_win_is_valid(win) and api.nvim_win_get_cursor(win) or { 1, 0 }
  local inside = vim.list_contains(self.view.wins, api.nvim_get_current_win())
  ask.about(self.turn, "turn_file", { path = path }, function(texts)
    if open ~= self or not texts or self.turn.files[self.at] ~= file then
      return
    end
    show(self, self.at, texts)
    if not self.view then
      return
    end
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(self.view.win))
    api.nvim_win_set_cursor(self.view.win, { math.min(cursor[1], last), cursor[2] })
    if inside then
      api.nvim_set_current_win(self.view.win)
    end
  end)
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
      if not self.switching and open == self and vim.list_contains(wins, tonumber(event.match)) then
        vim.schedule(function()
          if open == self then
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
    undo = {},
  }
  table.insert(self.undo, function()
    place:close()
  end)
  table.insert(self.undo, function()
    leave(self)
  end)
  local ok, err = pcall(function()
    self.list, self.list_win = list.open(place, turn)
  end)
  if not ok then
    run_undo(self)
    error(err, 0)
  end
  open = self
  mark(self, { self.list_win, place.anchor })
  watch(self)
  local buf = self.list
  vim.keymap.set("n", "q", M.close, { buffer = buf, nowait = true, desc = "End the review" })
  vim.keymap.set("n", "<CR>", function()
    M.show(api.nvim_win_get_cursor(0)[1] - list.heading, "first")
  end, { buffer = buf, nowait = true, desc = "Show the file" })
  api.nvim_set_current_win(self.list_win)
  M.show(1, "first")
end

return M
