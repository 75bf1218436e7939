--- What taking back a change does to its file: what is written, or why nothing is.

local undo = require("claudecode.turns.undo")

local M = {}

---The state of a file, see PROTOCOL.md.
---@class (exact) claudecode.FileState
---@field kind "file"|"symlink"|"absent"|"other"
---@field size? integer
---@field mode? integer Permission bits
---@field hash? string
---@field bytes? string

---@class (exact) claudecode.TurnFile One file of a turn
---@field path string
---@field change "created"|"modified"|"deleted"
---@field source "edit"|"shell"|"both"|"later"
---@field added integer
---@field removed integer
---@field binary boolean
---@field kept boolean
---@field why? "large"|"secret"|"memory"|"unreadable"|"mixed"
---@field before claudecode.FileState
---@field after claudecode.FileState

---@class (exact) claudecode.TurnTexts The answer `turn_file`
---@field path string
---@field before claudecode.FileState
---@field after claudecode.FileState
---@field now claudecode.FileState

---@class (exact) claudecode.Plan
---@field put? { path: string, expect: claudecode.FileState, state: claudecode.FileState }
---@field nothing? string Why nothing is to be done
---@field problem? string Why nothing can be done
---@field conflict? string Both texts, with markers

local reasons = {
  large = "it is too large",
  secret = "it may hold secrets",
  memory = "there was no room for it any more",
  unreadable = "it could not be read",
  mixed = "you changed it between changes of Claude's",
}

--- Why the text before a change is not there.
---@param file { why?: string }
---@return string
function M.not_kept(file)
  return "the text before was not kept: " .. (reasons[file.why] or "the reason is not known")
end

local has_bytes = { file = true, symlink = true }

--- Whether two states have the same bytes. Of secrets, and of huge files, nobody can tell.
---@param a claudecode.FileState
---@param b claudecode.FileState
local function same_bytes(a, b)
  return a.kind == b.kind and (not has_bytes[a.kind] or a.hash ~= nil and a.hash == b.hash)
end

---@param a claudecode.FileState
---@param b claudecode.FileState
function M.same(a, b)
  return same_bytes(a, b) and (a.kind ~= "file" or a.mode == b.mode)
end

--- Whether two states may have the same bytes or not.
local function unknown(a, b)
  return a.kind == b.kind and has_bytes[a.kind] and not (a.hash and b.hash)
end

M.no_lines = "its lines are not known: without a range the file is taken back"

--- What is to be known of a file to put another in its place.
local function expect(state)
  return { kind = state.kind, hash = state.hash }
end

--- What is to be written.
local function target(state, bytes, mode)
  return { kind = state.kind, bytes = bytes or state.bytes, mode = mode or state.mode }
end

--- The permission bits after all: those before, if Claude changed them and nobody did since.
local function mode_of(texts)
  local before, after, now = texts.before.mode, texts.after.mode, texts.now.mode
  return now == after and before or now
end

--- Takes back lines of a text file that is still there.
---@param texts claudecode.TurnTexts
---@param range? claudecode.Range
---@return claudecode.Plan
local function merged(texts, range)
  local before, after, now = texts.before, texts.after, texts.now
  if not (before.bytes and after.bytes and now.bytes) then
    return { problem = "it was changed since, and its text is not there to be merged" }
  end
  local result = undo.apply(before.bytes, after.bytes, now.bytes, range)
  if result.conflicts > 0 then
    return { conflict = result.text }
  end
  local mode = range and now.mode or mode_of(texts)
  if result.text == now.bytes and mode == now.mode then
    return { nothing = range and "no change of Claude's in these lines" or "it is as it was before" }
  end
  return { put = { path = texts.path, expect = expect(now), state = target(now, result.text, mode) } }
end

--- What taking back a change does.
---@param file { binary: boolean, kept: boolean, why?: string }
---@param texts claudecode.TurnTexts
---@param range? claudecode.Range Lines of the file now; all by default
---@return claudecode.Plan
function M.make(file, texts, range)
  local before, after, now = texts.before, texts.after, texts.now
  if M.same(before, now) then
    return { nothing = "it is as it was before" }
  elseif not file.kept then
    return { problem = M.not_kept(file) }
  elseif unknown(after, now) then
    return { problem = "whether it was changed since is not known: its text is not kept" }
  elseif range and file.binary then
    return { problem = M.no_lines }
  end
  local is_text = not file.binary and before.kind == "file" and after.kind == "file" and now.kind == "file"
  if is_text and (range or not M.same(after, now)) then
    return merged(texts, range)
  elseif before.kind == "other" then
    return { problem = "there was a folder in its place" }
  elseif same_bytes(after, now) then
    local mode = before.kind == "file" and now.kind == "file" and mode_of(texts) or before.mode
    return { put = { path = texts.path, expect = expect(now), state = target(before, nil, mode) } }
  elseif now.kind == "absent" then
    return { problem = "it was removed since" }
  elseif after.kind == "absent" then
    return { problem = "there is another file in its place" }
  elseif file.binary or now.kind ~= "file" or not (now.bytes and after.bytes) then
    return { problem = "it was changed since" }
  end
  local result = undo.apply(before.bytes or "", after.bytes, now.bytes)
  if before.kind == "absent" and result.conflicts == 0 and result.text == "" then -- all that is there is Claude's
    return { put = { path = texts.path, expect = expect(now), state = target(before) } }
  end
  return { conflict = result.text }
end

return M
