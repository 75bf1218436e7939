--- Takes back all that a turn changed, after one question that lists it.

local ask = require("claudecode.turns.ask")
local buffer = require("claudecode.turns.buffer")
local find = require("claudecode.turns.find")
local log = require("claudecode.log")
local plan = require("claudecode.turns.plan")
local question = require("claudecode.turns.question")
local revert = require("claudecode.turns.revert")
local review = require("claudecode.turns.review")
local strict = require("claudecode.strict")
local unknown = require("claudecode.turns.unknown")
local words = require("claudecode.words")

local M = {}

---@class (exact) claudecode.Step What becomes of one file
---@field file claudecode.TurnFile
---@field act "write"|"restore"|"remove"|"edit"|"leave"
---@field why? string
---@field put? table
---@field texts? claudecode.TurnTexts If it has a buffer, which may be changed

---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@return claudecode.Step?
local function step(file, texts)
  local buf = buffer.of(file.path)
  local kept = buf and texts or nil -- All those of a turn may be large.
  local made = plan.make(file, texts)
  if made.nothing then
    return nil
  elseif file.source == "later" then
    return { file = file, act = "leave", why = "it changed after you looked, maybe by another program" }
  elseif buf and vim.bo[buf].modified then
    return { file = file, act = "edit", why = "in the buffer, which has unsaved changes", texts = kept }
  elseif made.put then
    local state = made.put.state
    local act = state.kind == "absent" and "remove" or texts.now.kind == "absent" and "restore" or "write"
    return { file = file, act = act, put = made.put, texts = kept }
  end
  return { file = file, act = "leave", why = made.problem or "what changed there since overlaps" }
end

--- Looks at each file of the turn, one after the other.
---@param turn claudecode.Turn
---@param done fun(steps: claudecode.Step[]?, err: string?)
local function steps_of(turn, done)
  local steps = {}
  local function look(i)
    local file = turn.files[i]
    if not file then
      return done(steps)
    end
    ask.about(turn, "turn_file", { path = file.path }, function(texts, err, kind)
      if texts then
        table.insert(steps, step(file, texts))
      elseif kind == "refused" then
        table.insert(steps, { file = file, act = "leave", why = err })
      else
        return done(nil, err)
      end
      -- Answers come one at a time, so this is no recursion.
      look(i + 1)
    end)
  end
  look(1)
end

local function is_left(it)
  return it.act == "leave"
end

local function is_own(it)
  return it.file.source == "edit"
end

--- Whether some of it is what commands changed, and not all.
---@param steps claudecode.Step[]
local function by_commands(steps)
  local own = #vim.tbl_filter(is_own, steps)
  return own > 0 and own < #steps
end

--- Takes changes back in buffers with unsaved changes.
---@return string[] failed
local function edit(steps)
  local failed = {}
  for _, it in ipairs(steps) do
    local buf = it.act == "edit" and buffer.of(it.file.path)
    local ok, made = true, {}
    if buf then
      ok, made = pcall(buffer.merge, buf, it.texts)
    end
    if not ok or next(made) and not made.nothing then
      table.insert(failed, revert.name(it.file.path))
    end
  end
  return failed
end

--- Files that the last message names at most, whose line is one of the screen.
M.max_told = 3

---@param names string[]
local function enumerate(names)
  local rest = #names - M.max_told
  local told = table.concat(vim.list_slice(names, 1, M.max_told), ", ")
  return rest > 0 and ("%s and %d more"):format(told, rest) or told
end

---@param count integer
---@param failed string[]
---@param turn claudecode.Turn
local function tell(count, failed, turn)
  local done = "None of Claude's changes is taken back"
  if count > 0 then
    done = ("Claude's changes of %s are taken back"):format(words.count(count, "file"))
  end
  local rest = unknown.of(turn, "; ")
  if #failed == 0 then
    return (rest ~= "" and log.warn or log.info)("review", done .. rest)
  end
  local why = (", not those of %s: :ClaudeCodeRevert there says why"):format(enumerate(failed))
  log.warn("review", done .. why .. rest)
end

--- Which failure it is that stops the others.
---@param failed { path: string, error: string }[]
local function cause(failed)
  return vim.iter(failed):find(function(it)
    return not it.error:find("another file", 1, true)
  end) or failed[1]
end

---@param steps claudecode.Step[]
---@param turn claudecode.Turn
local function carry_out(steps, turn)
  local puts, left = {}, {}
  for _, it in ipairs(steps) do
    local buf = it.put and buffer.of(it.file.path)
    if buf and vim.bo[buf].modified then -- since the question
      it.act, it.put = it.texts and "edit" or "leave", nil
    end
    table.insert(puts, it.put)
    table.insert(left, it.act == "leave" and revert.name(it.file.path) or nil)
  end
  local function finish(written)
    local unmerged = edit(steps)
    local edits = #steps - #puts - #left - #unmerged
    tell(vim.tbl_count(written) + edits, vim.list_extend(left, unmerged), turn)
    review.taken_back(written)
    for _, it in ipairs(steps) do
      review.refresh(it.file.path, it.act ~= "remove")
    end
  end
  if #puts == 0 then
    return finish({})
  end
  revert.write(puts, function(written, failed, open)
    if open then
      local what = words.count(#puts, "file")
      return log.error("review", ("%s: it is not known what of %s is taken back; look again"):format(open, what))
    elseif failed[1] then
      local first = cause(failed)
      log.error(
        "review",
        ("%s: %s; taken back: %s"):format(
          revert.name(first.path),
          first.error,
          words.count(vim.tbl_count(written), "file")
        )
      )
      return review.taken_back(written)
    end
    finish(written)
  end)
end

---@param steps claudecode.Step[]
---@param turn claudecode.Turn
local function confirm(steps, turn)
  if vim.iter(steps):all(is_left) then
    return tell(
      0,
      vim.tbl_map(function(it)
        return revert.name(it.file.path)
      end, steps),
      turn
    )
  end
  local all, own, none = "Take it back", "Only what Claude wrote itself, no command", "Leave it as it is"
  local choices = by_commands(steps) and { all, own, none } or { all, none }
  vim.ui.select(choices, { prompt = question.text(steps, turn) }, function(choice)
    if choice == all then
      carry_out(steps, turn)
    elseif choice == own then
      carry_out(vim.tbl_filter(is_own, steps), turn)
    end
  end)
end

--- Takes back the turn that is reviewed, else the last one that changed anything.
function M.ask()
  if #vim.api.nvim_list_uis() == 0 then
    return log.warn("review", "There is nobody to ask")
  end
  local function go(turn, err)
    if not turn then
      return log.warn("review", err)
    end
    steps_of(turn, function(steps, failure)
      if not steps then
        return log.error("review", failure)
      elseif #steps == 0 then
        return log.info("review", "All is as it was before")
      end
      require("claudecode.moment").run(function()
        local ok, problem = pcall(confirm, steps, turn)
        if not ok then
          log.error("review", strict.reason(problem))
        end
      end, { name = "a question about Claude's changes" })
    end)
  end
  local open = review.current()
  if open then
    go(open.turn)
  else
    find.nth(1, go)
  end
end

return M
