--- Takes back what Claude changed. Files are written by the daemon, and only if they are still what
--- was looked at.

local ask = require("claudecode.turns.ask")
local buffer = require("claudecode.turns.buffer")
local disk = require("claudecode.disk")
local find = require("claudecode.turns.find")
local hunks = require("claudecode.diff.hunks")
local log = require("claudecode.log")
local plan = require("claudecode.turns.plan")
local review = require("claudecode.turns.review")
local strict = require("claudecode.strict")

local M = {}

local api = vim.api

--- The name of a file for the user.
---@param path string
function M.name(path)
  return vim.fn.fnamemodify(path, ":~:.")
end

local function tell(level, path, what)
  log[level]("review", ("%s: %s"):format(M.name(path), what))
end

--- Says what became of a plan that writes nothing.
---@param path string
---@param made claudecode.Plan
local function conclude(path, made)
  if made.conflict then
    tell("warn", path, "what changed there since overlaps, nothing is written; both are shown")
    require("claudecode.turns.conflict").show(path, made.conflict)
  elseif made.problem then
    tell("warn", path, made.problem)
  elseif made.nothing then
    tell("info", path, made.nothing)
  end
end

---@class (exact) claudecode.FailedPut
---@field path string
---@field error string

--- `open` is why it is not known which were written.
---@alias claudecode.TurnWritten fun(written: table<string, boolean>, failed: claudecode.FailedPut[], open: string?)

local unknown = ": it is not known whether it was written; look again"

--- Has files written.
---@param puts table[] See PROTOCOL.md, `put`
---@param done claudecode.TurnWritten
function M.write(puts, done)
  ask.ask("put", { files = puts }, function(answers, err, kind)
    local open = kind == "open"
    local problem = err and not open and err or (err or "the server did not say") .. unknown
    local written, failed = {}, {}
    for i, put in ipairs(puts) do
      local answer = answers and answers[i] or { error = problem }
      if answer.error then
        table.insert(failed, { path = put.path, error = answer.error })
      else
        written[put.path] = true
      end
      if open or not answer.error then
        buffer.reload(put.path)
      end
    end
    done(written, failed, open and err or nil)
  end)
end

--- Writes a plan.
---@param made claudecode.Plan
---@param texts claudecode.TurnTexts
---@param range? claudecode.Range
local function write(made, texts, range)
  local path = made.put.path
  M.write({ made.put }, function(_, failed)
    if failed[1] then
      return tell("error", path, failed[1].error)
    end
    local undoes = buffer.of(path) and made.put.state.kind == "file"
    local what = range and "this change is taken back" or "taken back"
    tell("info", path, what .. (undoes and ", u undoes it" or ""))
    local is_back = made.put.state.kind == texts.before.kind and made.put.state.bytes == texts.before.bytes
    review.taken_back({ [path] = is_back })
    review.refresh(path, made.put.state.kind == "file")
  end)
end

--- Whether the lines of a buffer are those of the bytes of its file: they are not if carriage returns
--- end them.
---@param buf integer
---@param now claudecode.FileState
local function has_lines_of(buf, now)
  return not now.bytes or api.nvim_buf_line_count(buf) == math.max(#hunks.lines(now.bytes), 1)
end

--- Takes back a change, in the buffer if that has unsaved changes.
---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@param range? claudecode.Range
local function take_back(file, texts, range)
  local buf = buffer.of(file.path)
  if buf and vim.bo[buf].modified then
    local made = buffer.merge(buf, texts, range)
    if next(made) then
      return conclude(file.path, made)
    end
    tell("info", file.path, "Claude's change is taken back in the buffer, which had unsaved changes and is not written")
    return review.refresh(file.path, true)
  elseif range and buf and disk.changed(buf) then
    disk.reload(buf)
    return tell("warn", file.path, "it changed on disk meanwhile; look again")
  elseif range and buf and not has_lines_of(buf, texts.now) then
    return tell("warn", file.path, plan.no_lines)
  end
  local made = plan.make(file, texts, range)
  if made.put then
    return write(made, texts, range)
  end
  conclude(file.path, made)
end

--- Takes back what Claude changed in a file.
---@param turn claudecode.Turn
---@param file claudecode.TurnFile
---@param range? claudecode.Range Lines of the file as its buffer has it; all by default
---@param is_stale? fun(texts: claudecode.TurnTexts): boolean Whether those are lines of something else
function M.file(turn, file, range, is_stale)
  local buf = buffer.of(file.path)
  local tick = buf and vim.b[buf].changedtick
  ask.about(turn, "turn_file", { path = file.path }, function(texts, err)
    if not texts then
      return tell("error", file.path, err)
    elseif range and (buffer.of(file.path) ~= buf or buf and vim.b[buf].changedtick ~= tick) then
      return tell("warn", file.path, "it changed meanwhile; look again")
    elseif range and is_stale and is_stale(texts) then
      tell("warn", file.path, "it changed meanwhile; look again")
      return review.refresh(file.path, texts.now.kind == "file")
    end
    local ok, failure = pcall(take_back, file, texts, range)
    if not ok then
      tell("error", file.path, strict.reason(failure))
    end
  end)
end

--- Takes back what lines of the current window show, or the file that it shows.
---@param range? claudecode.Range
function M.here(range)
  local self, file, lines, whole = review.current(), review.here(range)
  if file and range and not lines and not whole then
    return log.warn("review", "These lines are none of the file as it is now: without a range the file is taken back")
  elseif self and file then
    return M.file(self.turn, file, lines, self.view and self.view.is_stale)
  end
  local buf = api.nvim_get_current_buf()
  local path = api.nvim_buf_get_name(buf)
  if path == "" or vim.bo[buf].buftype ~= "" then
    return log.warn("review", "There is no file here")
  end
  local known = self and find.file(self.turn, path)
  if self and known then
    return M.file(self.turn, known, range)
  end
  local tick = vim.b[buf].changedtick
  find.of_file(path, function(turn, found)
    if not turn then
      return log.warn("review", found)
    elseif range and (not api.nvim_buf_is_valid(buf) or vim.b[buf].changedtick ~= tick) then
      return tell("warn", path, "it changed meanwhile; look again")
    end
    M.file(turn, found, range)
  end)
end

return M
