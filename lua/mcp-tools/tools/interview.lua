--- interview: asks the user one question after the other.

local question = require("mcp-tools.question")

--- Questions in an interview, and choices of one.
local max_questions, max_choices = 50, 100

local other, finish = "Something else…", "Done"

local name = "interview"

---@class (exact) mcp_tools.Question
---@field question string
---@field choices? string[]
---@field multiselect? boolean
---@field default_choice? integer From 0

---@alias mcp_tools.Ask fun(q: mcp_tools.Question, prompt: string, answered: fun(answer?: string|string[])): nil

--- Why questions cannot be asked.
---@return string?
local function problem(questions)
  if type(questions) ~= "table" or not vim.islist(questions) or #questions == 0 then
    return "questions array is required and must not be empty"
  elseif #questions > max_questions then
    return ("questions must not be more than %d"):format(max_questions)
  end
  for i, q in ipairs(questions) do
    local lead = ("Question %d: "):format(i)
    if type(q) ~= "table" or type(q.question) ~= "string" or vim.trim(q.question) == "" then
      return lead .. "'question' field is required and must be a non-empty string"
    elseif q.choices ~= nil and (type(q.choices) ~= "table" or not vim.islist(q.choices)) then
      return lead .. "'choices' must be an array if provided"
    elseif q.choices and #q.choices == 0 then
      return lead .. "'choices' array must not be empty if provided"
    elseif #(q.choices or {}) > max_choices then
      return lead .. ("'choices' must not be more than %d"):format(max_choices)
    end
  end
end

--- Runs an interview.
---@param questions mcp_tools.Question[]
---@param done fun(result: table)
---@return fun() cancel
local function run(questions, done)
  local cancel ---@type fun()?

  --- Has the user write an answer; an empty one does not count.
  local function write(prompt, answered)
    cancel = question.input(name, { prompt = prompt .. " " }, function(text)
      if text and vim.trim(text) == "" then
        return write(prompt, answered)
      end
      answered(text and vim.trim(text))
    end)
  end

  local function choose_one(q, prompt, answered)
    local items = vim.list_extend(vim.list_extend({}, q.choices), { other })
    cancel = question.select(name, items, {
      prompt = prompt,
      format_item = function(item)
        return item == q.choices[(q.default_choice or -1) + 1] and item .. " (default)" or item
      end,
    }, function(item, index)
      if index == #items then
        return write(prompt, answered)
      end
      answered(item)
    end)
  end

  --- Shows the choices, each with whether it is taken, until the user is done.
  local function choose_some(q, prompt, answered)
    local taken, texts = {}, {}
    if q.choices[(q.default_choice or -1) + 1] then
      taken[q.default_choice + 1] = true
    end
    local function answer()
      local answers = {}
      for i, choice in ipairs(q.choices) do
        answers[#answers + 1] = taken[i] and choice or nil
      end
      return vim.list_extend(answers, texts)
    end
    local function list()
      local items = {}
      for i, choice in ipairs(q.choices) do
        items[i] = ("[%s] %s"):format(taken[i] and "x" or " ", choice)
      end
      return vim.list_extend(items, { other, ("%s: %s"):format(finish, table.concat(answer(), ", ")) })
    end
    local function toggle(index)
      local is_choice = index <= #q.choices
      if is_choice then
        taken[index] = not taken[index] or nil
      end
      return (is_choice or index == #q.choices + 2 and #answer() == 0) and list() or nil
    end
    local function show()
      local items = list()
      cancel = question.select(name, items, { prompt = prompt, again = toggle }, function(_, index)
        if not index then
          return answered(nil)
        elseif index == #items then
          return #answer() == 0 and show() or answered(answer())
        elseif toggle(index) then
          return show()
        end
        write(prompt, function(text)
          table.insert(texts, text)
          show()
        end)
      end)
    end
    show()
  end

  local answers = {}
  local function ask(i)
    local q = questions[i]
    if not q then
      return done({ completed = true, answers = answers })
    end
    local prompt = #questions > 1 and ("(%d/%d) %s"):format(i, #questions, q.question) or q.question
    local function answered(answer)
      if answer == nil then
        return done({ completed = false, answers = {} })
      end
      answers[i] = { question = q.question, answer = answer }
      ask(i + 1)
    end
    if not q.choices then
      write(prompt, answered)
    else
      (q.multiselect and choose_some or choose_one)(q, prompt, answered)
    end
  end
  ask(1)
  return function()
    if cancel then
      cancel()
    end
  end
end

local question_properties = {
  question = { type = "string", description = "The question" },
  choices = {
    type = "array",
    items = { type = "string" },
    description = "What to choose from; else the answer is free",
  },
  multiselect = { type = "boolean", description = "Several choices may be taken" },
  default_choice = { type = "number", description = "Index of the choice that is suggested, from 0" },
}

return {
  {
    name = name,
    description = "Ask the user one question or several, with choices or free answers. It waits as long"
      .. " as the user takes",
    args = {
      questions = {
        type = "array",
        description = "The questions, in order",
        required = true,
        items = { type = "object", properties = question_properties, required = { "question" } },
      },
    },
    paths = require("mcp-tools.permissions.touches").none,
    annotations = { title = "Interview the user", readOnlyHint = true },
    timeout = 0,
    execute = function(cb, args, ctx)
      local err = problem(args.questions)
      if err then
        return cb(nil, err)
      end
      ctx.on_cancel(run(args.questions, cb))
    end,
  },
}
