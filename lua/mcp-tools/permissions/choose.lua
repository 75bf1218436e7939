--- Shows a question about a call: by the user's own |vim.ui.select()|, else in a window of ours.
--- The one that Neovim brings waits for its answer and holds up the whole editor.

local words = require("claudecode.words")

local M = {}

local api = vim.api

--- For how long a window that has just opened takes no answer: what is typed then was meant for
--- another.
M.grace_ms = 500

--- What is shown at most of the arguments, in lines, and of the paths.
local max_lines, max_paths = 10, 5

--- What is shown of the arguments in one line.
local max_prompt = 200

---@alias mcp_tools.Choice { answer: string, text: string }

local function is_builtin()
  return debug.getinfo(vim.ui.select, "S").source:gsub("\\", "/"):find("vim/ui%.lua$") ~= nil
end

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

--- The floating windows that f opens, closed by what is returned.
local function opened_by(f)
  local before = {}
  for _, win in ipairs(api.nvim_list_wins()) do
    before[win] = true
  end
  f()
  local mine = vim.tbl_filter(function(win)
    return not before[win] and api.nvim_win_get_config(win).relative ~= ""
  end, api.nvim_list_wins())
  return function()
    for _, win in ipairs(mine) do
      if api.nvim_win_is_valid(win) then
        pcall(api.nvim_win_close, win, true)
      end
    end
  end
end

local function select(question, choices, answer)
  local arguments = beginning(words.plain(question.arguments), max_prompt)
  return opened_by(function()
    vim.ui.select(choices, {
      prompt = ("%s wants to call %s %s"):format(who(question), question.tool, arguments),
      kind = "claudecode-permission",
      format_item = function(choice)
        return choice.text
      end,
    }, answer)
  end)
end

---@return integer buf
---@return integer win
local function create(lines, width)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable = "wipe", false
  vim.bo[buf].filetype = "claudecode-permission"
  local height = math.min(#lines, math.max(1, vim.o.lines - 4))
  local ok, win = pcall(api.nvim_open_win, buf, true, {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    style = "minimal",
    border = "rounded",
    title = " Permission ",
    footer = " Enter: choose   q: deny ",
    zindex = 200,
  })
  if not ok then
    api.nvim_buf_delete(buf, { force = true })
    error(win, 0)
  end
  vim.wo[win].cursorline, vim.wo[win].wrap = true, true
  return buf, win
end

--- A window with the question, in which the cursor chooses.
---@param question mcp_tools.Question
---@param choices mcp_tools.Choice[]
---@param answer fun(choice?: mcp_tools.Choice)
---@return fun() close
local function window(question, choices, answer)
  local before, mode = api.nvim_get_current_win(), api.nvim_get_mode().mode
  local width = math.max(20, math.min(80, vim.o.columns - 4))
  local lines = describe(question, width)
  local first = #lines + 1
  for i, choice in ipairs(choices) do
    table.insert(lines, ("%d %s"):format(i, choice.text))
  end
  local buf, win = create(lines, width)
  api.nvim_win_set_cursor(win, { first, 0 })
  local opened, over = vim.uv.hrtime(), false

  local function close(choice, silent)
    if over then
      return
    end
    over = true
    local had_focus = api.nvim_get_current_win() == win
    if api.nvim_win_is_valid(win) then
      api.nvim_win_close(win, true)
    end
    if had_focus and api.nvim_win_is_valid(before) then
      api.nvim_set_current_win(before)
      if mode == "t" then
        vim.cmd.startinsert()
      end
    end
    if not silent then
      answer(choice)
    end
  end
  local function map(key, choose)
    vim.keymap.set("n", key, function()
      if (vim.uv.hrtime() - opened) / 1e6 >= M.grace_ms then
        choose()
      end
    end, { buffer = buf, nowait = true })
  end
  for i, choice in ipairs(choices) do
    map(tostring(i), function()
      close(choice)
    end)
  end
  map("<CR>", function()
    local choice = choices[api.nvim_win_get_cursor(win)[1] - first + 1]
    if choice then
      close(choice)
    end
  end)
  for _, key in ipairs({ "q", "<Esc>" }) do
    map(key, close)
  end
  -- The buffer goes with its window, whatever closes that.
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      vim.schedule(close)
    end,
  })
  return function()
    close(nil, true)
  end
end

--- Shows a question. The answer is nil if the user gives none.
---@param question mcp_tools.Question
---@param choices mcp_tools.Choice[]
---@param answer fun(choice?: mcp_tools.Choice)
---@return fun() close Takes it away, as far as that is possible
function M.show(question, choices, answer)
  return (is_builtin() and window or select)(question, choices, answer)
end

return M
