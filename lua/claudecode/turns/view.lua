--- One file of a review in the windows of its place: the text before against the file as it is now,
--- in a layout of the diffs, or a note where there are no texts to compare.

local cleanup = require("claudecode.cleanup")
local parts = require("claudecode.turns.parts")
local plan = require("claudecode.turns.plan")
local strict = require("claudecode.strict")
local words = require("claudecode.words")

local M = {}

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

---@param state claudecode.FileState
local function describe(state)
  if state.kind == "symlink" then
    return "a symbolic link to " .. words.plain(state.bytes or "?")
  elseif state.kind == "file" then
    return state.size and words.bytes(state.size) or "a file"
  end
  return state.kind == "absent" and "not there" or "no file"
end

---@param state claudecode.FileState
local function is_text(state)
  return state.kind == "absent" or state.kind == "file" and state.bytes ~= nil
end

--- Why there are no texts to compare, in lines.
---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@return string[]?
local function note(file, texts)
  local why = not file.kept and plan.not_kept(file) or file.binary and "this is no text" or nil
  if not why and is_text(texts.before) and is_text(texts.now) then
    return nil
  end
  return {
    words.plain(file.path),
    "",
    why or "there is no text to compare",
    ("before: %s; after: %s; now: %s"):format(describe(texts.before), describe(texts.after), describe(texts.now)),
  }
end

---@param lines string[]
---@param place claudecode.Place
---@param undo fun()[]
---@return claudecode.ReviewView
local function open_note(lines, place, undo)
  local buf = parts.read_only("Claude's change", table.concat(lines, "\n") .. "\n", undo)
  local win = parts.show(place, buf, undo)
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

local layouts = { vertical = "view_native", horizontal = "view_native", unified = "view_unified" }

--- Shows a file in the place, whose anchor is ours; raises after undoing all of it.
---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param layout claudecode.DiffLayoutName
---@param place claudecode.Place
---@return claudecode.ReviewView
function M.open(file, texts, layout, place)
  local undo = {} ---@type fun()[]
  local view = cleanup.guard(undo, function()
    return strict.call(function()
      local lines = note(file, texts)
      if lines then
        return open_note(lines, place, undo)
      end
      return require("claudecode.turns." .. layouts[layout]).open(file, texts, layout, place, undo)
    end)
  end)
  function view.close()
    cleanup.run(undo)
  end
  return view
end

return M
