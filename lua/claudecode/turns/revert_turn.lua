--- Takes back all that a turn changed, after one question that lists it.

local ask = require("claudecode.turns.ask")
local buffer = require("claudecode.turns.buffer")
local find = require("claudecode.turns.find")
local log = require("claudecode.log")
local plan = require("claudecode.turns.plan")
local revert = require("claudecode.turns.revert")
local review = require("claudecode.turns.review")
local strict = require("claudecode.strict")
local words = require("claudecode.words")

local M = {}

--- Files that the question names; of more it says how many.
M.max_named = 20

---@class (exact) claudecode.Step What becomes of one file
---@field file claudecode.TurnFile
---@field act "write"|"restore"|"remove"|"edit"|"leave"
---@field why? string
---@field put? table
---@field texts? claudecode.TurnTexts For "edit"

---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@return claudecode.Step?
local function step(file, texts)
  local buf = buffer.of(file.path)
  local made = plan.make(file, texts)
  if made.nothing then
    return nil
  elseif buf and vim.bo[buf].modified then
    return { file = file, act = "edit", why = "in the buffer, which has unsaved changes", texts = texts }
  elseif made.put then
    local state = made.put.state
    local act = state.kind == "absent" and "remove" or texts.now.kind == "absent" and "restore" or "write"
    return { file = file, act = act, put = made.put }
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
    ask.about(turn, "turn_file", { path = file.path }, function(texts, err)
      if not texts then
        return done(nil, err)
      end
      table.insert(steps, step(file, texts))
      -- Answers come one at a time, so this is no recursion.
      look(i + 1)
    end)
  end
  look(1)
end

---@param steps claudecode.Step[]
local function question(steps)
  local rows = {}
  for _, it in ipairs(vim.list_slice(steps, 1, M.max_named)) do
    local why = it.why and ("(%s)"):format(it.why) or ""
    table.insert(rows, { it.act, words.plain(revert.name(it.file.path)), why })
  end
  local lines = { "Take back all that Claude changed?" }
  for _, line in ipairs(words.columns(rows)) do
    table.insert(lines, (line:gsub("%s+$", "")))
  end
  if #steps > M.max_named then
    table.insert(lines, ("  and %d more"):format(#steps - M.max_named))
  end
  return table.concat(lines, "\n")
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

---@param count integer
---@param failed string[]
local function tell(count, failed)
  local done = ("Claude's changes of %s are taken back"):format(words.count(count, "file"))
  if #failed == 0 then
    return log.info("review", done)
  end
  log.warn("review", ("%s, not those of %s: :ClaudeCodeRevert there says why"):format(done, table.concat(failed, ", ")))
end

---@param steps claudecode.Step[]
local function carry_out(steps)
  local puts, left = {}, {}
  for _, it in ipairs(steps) do
    table.insert(puts, it.put)
    table.insert(left, it.act == "leave" and revert.name(it.file.path) or nil)
  end
  local function finish(written)
    local unmerged = edit(steps)
    local edits = #steps - #puts - #left - #unmerged
    tell(vim.tbl_count(written) + edits, vim.list_extend(left, unmerged))
    review.taken_back(written)
    for _, it in ipairs(steps) do
      review.refresh(it.file.path, it.act ~= "remove")
    end
  end
  if #puts == 0 then
    return finish({})
  end
  revert.write(puts, function(written, failed)
    if failed[1] then
      local first = failed[1]
      log.error(
        "review",
        ("%s: %s; %d files are written"):format(revert.name(first.path), first.error, vim.tbl_count(written))
      )
      return review.taken_back(written)
    end
    finish(written)
  end)
end

---@param steps claudecode.Step[]
local function confirm(steps)
  local yes = "Take it back"
  vim.ui.select({ yes, "Leave it as it is" }, { prompt = question(steps) }, function(choice)
    if choice == yes then
      carry_out(steps)
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
        local ok, problem = pcall(confirm, steps)
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
