--- Shows a question about a call.

local words = require("claudecode.words")

local M = {}

local api = vim.api

--- What is shown at most of the arguments, in lines, and of the paths.
local max_lines, max_paths = 10, 5

--- What is shown of the arguments in one line.
local max_prompt = 200

---@alias mcp_tools.Choice { answer: string, text: string }

local function who(question)
  return require("mcp-tools.permissions.ask").who(question)
end

--- The beginning of a text, whole characters of it.
local function beginning(text, cells)
  if api.nvim_strwidth(text) <= cells then
    return text, ""
  end
  local n = vim.fn.strchars(text)
  local low, high = 0, math.min(n, cells)
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if api.nvim_strwidth(vim.fn.strcharpart(text, 0, middle)) <= cells then
      low = middle
    else
      high = middle - 1
    end
  end
  local head = vim.fn.strcharpart(text, 0, math.max(low, 1))
  return head, text:sub(#head + 1)
end

--- What is said of the call, in lines of that width.
---@param question mcp_tools.Question
---@param width integer
---@return string[]
local function describe(question, width)
  local lines = { ("%s wants to call %s"):format(who(question), question.tool), "" }
  local rest = words.plain(question.arguments)
  for _ = 1, max_lines do
    local head
    head, rest = beginning(rest, width)
    table.insert(lines, head)
    if rest == "" then
      break
    end
  end
  if rest ~= "" or question.size > #question.arguments then
    table.insert(lines, ("… %s in all"):format(words.bytes(question.size)))
  end
  for i, path in ipairs(question.paths) do
    if i > max_paths then
      table.insert(lines, ("… %s in all"):format(words.count(#question.paths, "path")))
      break
    end
    table.insert(lines, "file: " .. words.plain(path))
  end
  return vim.list_extend(lines, { "", "Asked because of " .. question.rule .. ".", "" })
end

--- Shows a question. The answer is nil if the user gives none.
---@param question mcp_tools.Question
---@param choices mcp_tools.Choice[]
---@param answer fun(choice?: mcp_tools.Choice)
---@return fun() close Takes it away, as far as that is possible
function M.show(question, choices, answer)
  local arguments = beginning(words.plain(question.arguments), max_prompt)
  return require("mcp-tools.choose").show(choices, {
    prompt = ("%s wants to call %s %s"):format(who(question), question.tool, arguments),
    kind = "claudecode-permission",
    format_item = function(choice)
      return choice.text
    end,
    title = " Permission ",
    footer = " Enter: choose   q: deny ",
    filetype = "claudecode-permission",
    describe = function(width)
      return describe(question, width)
    end,
  }, answer)
end

return M
