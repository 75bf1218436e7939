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

--- Files that the question names at most; of more it says how many.
M.max_named = 20

--- Lines of the question besides them, with the answers and what Neovim asks for.
local other_lines = 8

--- How many files the question names here: where it does not fit, Neovim shows part of it and waits
--- for a key.
local function room()
  return math.max(math.min(M.max_named, vim.o.lines - other_lines), 1)
end

--- Makes one screen line of a line.
local function cut(line)
  local width = vim.fn.strdisplaywidth
  if width(line) < vim.o.columns then
    return line
  end
  local kept = vim.fn.strcharpart(line, 0, vim.o.columns - 2)
  while width(kept) > vim.o.columns - 2 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. "…"
end

---@class (exact) claudecode.Step What becomes of one file
---@field file claudecode.TurnFile
---@field act "write"|"restore"|"remove"|"edit"|"leave"
---@field why? string
---@field put? table
---@field texts claudecode.TurnTexts

---@param file claudecode.TurnFile
---@param texts claudecode.TurnTexts
---@return claudecode.Step?
local function step(file, texts)
  local buf = buffer.of(file.path)
  local made = plan.make(file, texts)
  if made.nothing then
    return nil
  elseif file.source == "later" then
    return { file = file, act = "leave", why = "it changed after you looked, maybe by another program", texts = texts }
  elseif buf and vim.bo[buf].modified then
    return { file = file, act = "edit", why = "in the buffer, which has unsaved changes", texts = texts }
  elseif made.put then
    local state = made.put.state
    local act = state.kind == "absent" and "remove" or texts.now.kind == "absent" and "restore" or "write"
    return { file = file, act = act, put = made.put, texts = texts }
  end
  return { file = file, act = "leave", why = made.problem or "what changed there since overlaps", texts = texts }
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

--- The steps with those first that must be said, if there is no room for all.
---@param steps claudecode.Step[]
local function named(steps)
  if #steps <= room() then
    return steps
  end
  local left, others = {}, {}
  for _, it in ipairs(steps) do
    table.insert(is_left(it) and left or others, it)
  end
  return vim.list_extend(left, others)
end

---@param steps claudecode.Step[]
local function question(steps)
  local rows = {}
  for _, it in ipairs(vim.list_slice(named(steps), 1, room())) do
    local why = it.why and ("(%s)"):format(it.why) or ""
    table.insert(rows, { it.act, words.plain(revert.name(it.file.path)), why })
  end
  local lines = { "Take back all that Claude changed?" }
  for _, line in ipairs(words.columns(rows)) do
    table.insert(lines, cut((line:gsub("%s+$", ""))))
  end
  if #steps > room() then
    table.insert(lines, ("  and %d more"):format(#steps - room()))
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

--- Which failure it is that stops the others.
---@param failed { path: string, error: string }[]
local function cause(failed)
  return vim.iter(failed):find(function(it)
    return not it.error:find("another file", 1, true)
  end) or failed[1]
end

---@param steps claudecode.Step[]
local function carry_out(steps)
  local puts, left = {}, {}
  for _, it in ipairs(steps) do
    local buf = it.put and buffer.of(it.file.path)
    if buf and vim.bo[buf].modified then -- since the question
      it.act, it.put = "edit", nil
    end
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
local function confirm(steps)
  if vim.iter(steps):all(is_left) then
    return tell(
      0,
      vim.tbl_map(function(it)
        return revert.name(it.file.path)
      end, steps)
    )
  end
  local all, own, none = "Take it back", "Only what Claude wrote itself, no command", "Leave it as it is"
  local choices = by_commands(steps) and { all, own, none } or { all, none }
  vim.ui.select(choices, { prompt = question(steps) }, function(choice)
    if choice == all then
      carry_out(steps)
    elseif choice == own then
      carry_out(vim.tbl_filter(is_own, steps))
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
