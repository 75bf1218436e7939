--- One file of a review in the windows of its place: the text before against the file as it is now,
--- in a layout of the diffs, or a note where there are no texts to compare.

local decode = require("claudecode.turns.decode")
local disk = require("claudecode.disk")
local hunks = require("claudecode.diff.hunks")
local names = require("claudecode.diff.names")
local native = require("claudecode.diff.native")
local original = require("claudecode.diff.original")
local paths = require("claudecode.paths")
local plan = require("claudecode.turns.plan")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")
local unified = require("claudecode.diff.unified")
local words = require("claudecode.words")

local M = {}

local api = vim.api

---@class claudecode.ReviewView
---@field win integer Where the cursor belongs
---@field wins integer[]
---@field bufs integer[] What they show
---@field live? integer The buffer of the file, if that is what is shown
---@field is_stale? fun(texts: claudecode.TurnTexts): boolean Whether what is shown is not the file as it is now
---@field enter fun(last: boolean) Moves the cursor, which is in the window, to the first or the last change
---@field jump fun(forward: boolean): boolean Moves the cursor to the next change; false if there is none
---@field range fun(first: integer, last: integer): claudecode.Range? The file's lines that lines of the window show
---@field close fun()

local sides = { vertical = "left", horizontal = "above" }

--- A buffer of ours that cannot be edited.
---@param name string
---@param contents string
local function read_only(name, contents)
  local buf = names.new_buffer(true)
  text.silently(function()
    names.set(buf, name)
  end)
  text.fill(buf, contents)
  text.silently(function()
    vim.bo[buf].modified, vim.bo[buf].modifiable = false, false
  end)
  return buf
end

local function delete(buf)
  if api.nvim_buf_is_valid(buf) then
    strict.try(api.nvim_buf_delete, buf, { force = true })
  end
end

--- Why there are no texts to compare, in lines.
---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@return string[]?
local function note(file, texts)
  local function state(of)
    if of.kind == "symlink" then
      return "a symbolic link to " .. words.plain(of.bytes or "?")
    elseif of.kind == "file" then
      return of.size and words.bytes(of.size) or "a file"
    end
    return of.kind == "absent" and "not there" or "no file"
  end
  local is_text = true
  for _, of in ipairs({ texts.before, texts.now }) do
    is_text = is_text and (of.kind == "absent" or of.kind == "file" and of.bytes ~= nil)
  end
  local why = not file.kept and plan.not_kept(file) or file.binary and "this is no text" or nil
  if is_text and not why then
    return nil
  end
  local states = ("before: %s; after: %s; now: %s"):format(state(texts.before), state(texts.after), state(texts.now))
  return { words.plain(file.path), "", why or "there is no text to compare", states }
end

--- The buffer of the file, and what gives it back.
---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@return integer? buf nil if there is none to be had
---@return fun() release
local function file_buffer(file, texts)
  if texts.now.kind ~= "file" then
    local buf = paths.find_buffer(file.path)
    return buf, function() end
  end
  local found = original.find(file.path)
  local buf, release = original.load(found)
  disk.reload(buf)
  return buf, native.keep_last_place(buf, release)
end

--- An empty buffer that is gone with its window.
local function empty()
  local buf = names.new_buffer(true)
  vim.bo[buf].bufhidden = "wipe"
  return buf
end

--- Shows a buffer in the place's own window, until what was done before this is undone.
---@param place claudecode.Place
---@param buf integer
---@param undo fun()[]
---@return integer win
local function show(place, buf, undo)
  table.insert(undo, function()
    if api.nvim_win_is_valid(place.anchor) then
      place:show(empty())
    end
  end)
  return place:show(buf)
end

--- Moves the cursor of the current window with ]c or [c.
local function jump_natively(forward)
  local before = api.nvim_win_get_cursor(0)
  pcall(vim.cmd, "silent! normal! " .. vim.v.count1 .. (forward and "]c" or "[c"))
  return not vim.deep_equal(before, api.nvim_win_get_cursor(0))
end

--- Moves the cursor of the current window to the first or the last change.
local function enter_natively(last)
  if not last then
    return native.go_to_first_change()
  end
  vim.cmd("keepjumps normal! G")
  if vim.fn.diff_hlID(vim.fn.line("."), 1) == 0 then
    jump_natively(false)
  end
end

---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param layout claudecode.DiffLayoutName
---@param place claudecode.Place
---@param undo fun()[]
---@return claudecode.ReviewView
local function open_native(file, texts, layout, place, undo)
  local now, release = file_buffer(file, texts)
  table.insert(undo, release)
  if not now then
    now = read_only(file.path .. " (removed)", "")
    table.insert(undo, function()
      delete(now)
    end)
  end
  local contents = decode.text(texts.before.bytes or "", texts.now.kind == "file" and now or nil)
  local before = read_only(file.path .. " (before)", contents)
  table.insert(undo, function()
    delete(before)
  end)
  local target = show(place, now, undo)
  local win = place:open(before, target, sides[layout])
  table.insert(undo, function()
    if place:owns(win) then
      place:close_window(win)
    end
  end)
  native.compare({ buf = before, win = win, target = target, wins = { target, win } }, place, undo)
  strict.call(text.set_filetype, before, file.path, contents, now)
  return {
    win = target,
    wins = { target, win },
    bufs = { now, before },
    live = texts.now.kind == "file" and now or nil,
    enter = enter_natively,
    jump = jump_natively,
    range = function(first, last)
      return api.nvim_get_current_win() == target and { first = first, last = last } or nil
    end,
  }
end

--- The lines with which the changes begin in a buffer that shows both texts.
---@param found claudecode.Hunk[]
---@return integer[]
local function starts(found)
  local rows = {}
  hunks.each_row(found, function(_, row)
    table.insert(rows, row + 1)
  end)
  return rows
end

local function jump_in_rows(found, forward)
  local line = api.nvim_win_get_cursor(0)[1]
  local ahead = vim.tbl_filter(function(row)
    return forward and row > line or not forward and row < line
  end, starts(found))
  local count = math.min(vim.v.count1, #ahead)
  local row = ahead[forward and count or #ahead - count + 1]
  if row then
    api.nvim_win_set_cursor(0, { row, 0 })
  end
  return row ~= nil
end

--- The lines of the new text that hunks have; half a line is between two.
---@return claudecode.Range?
local function lines_of(touched)
  local first, last = touched[1], touched[#touched]
  if not first then
    return nil
  end
  return {
    first = first.new_at + (first.new_count > 0 and 1 or 0.5),
    last = last.new_at + (last.new_count > 0 and last.new_count or 0.5),
  }
end

--- The text of a file as it is now, its unsaved changes included.
---@param texts claudecode.TurnTexts
---@return string text
---@return integer? buf Its buffer
local function text_now(texts)
  local loaded = paths.find_buffer(texts.path)
  if loaded and texts.now.kind == "file" then
    disk.reload(loaded)
  end
  return texts.now.kind == "absent" and "" or loaded and text.read(loaded) or decode.text(texts.now.bytes or ""), loaded
end

---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param place claudecode.Place
---@param undo fun()[]
---@return claudecode.ReviewView
local function open_unified(file, texts, _, place, undo)
  local now, loaded = text_now(texts)
  local before = decode.text(texts.before.bytes or "", texts.now.kind == "file" and loaded or nil)
  local buf = read_only(file.path .. " (review)", "")
  table.insert(undo, function()
    delete(buf)
  end)
  local found = unified.draw(buf, hunks.lines(before), hunks.lines(now))
  local win = show(place, buf, undo)
  text.silently(function()
    for name, value in pairs(unified.window_options) do
      vim.wo[win][0][name] = value
    end
  end)
  strict.call(text.set_filetype, buf, file.path, before .. now, loaded)
  return {
    win = win,
    wins = { win },
    bufs = { buf },
    is_stale = function(current)
      return text_now(current) ~= now
    end,
    enter = function(last)
      local rows = starts(found)
      api.nvim_win_set_cursor(0, { rows[last and #rows or 1] or 1, 0 })
    end,
    jump = function(forward)
      return jump_in_rows(found, forward)
    end,
    range = function(first, last)
      return lines_of((hunks.divide(found, first, last)))
    end,
  }
end

---@param lines string[]
---@param place claudecode.Place
---@param undo fun()[]
---@return claudecode.ReviewView
local function open_note(lines, place, undo)
  local buf = read_only("Claude's change", table.concat(lines, "\n") .. "\n")
  table.insert(undo, function()
    delete(buf)
  end)
  local win = show(place, buf, undo)
  return {
    win = win,
    wins = { win },
    bufs = { buf },
    enter = function() end,
    jump = function()
      return false
    end,
    range = function()
      return nil
    end,
  }
end

local layouts = { vertical = open_native, horizontal = open_native, unified = open_unified }

--- Shows a file in the place, whose anchor is ours; raises after undoing all of it.
---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param layout claudecode.DiffLayoutName
---@param place claudecode.Place
---@return claudecode.ReviewView
function M.open(file, texts, layout, place)
  local undo = {} ---@type fun()[] In the order it was done
  local function close()
    for i = #undo, 1, -1 do
      strict.try(undo[i])
    end
    undo = {}
  end
  local ok, view = pcall(strict.call, function()
    local lines = note(file, texts)
    if lines then
      return open_note(lines, place, undo)
    end
    return layouts[layout](file, texts, layout, place, undo)
  end)
  if not ok then
    close()
    error(view, 0)
  end
  view.close = close
  return view
end

return M
