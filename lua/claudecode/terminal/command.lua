--- Claude's command line: what the options make it, and its words. No shell takes part, so that
--- `opus[1m]` and `$` stand for themselves.

local M = {}

--- Where a backslash separates folders it quotes nothing.
local backslash_quotes = vim.fn.has("win32") == 0

--- The text of double quotes that were opened before `at`, and where it goes on after them.
---@param text string
---@param at integer
---@return string piece
---@return integer at
local function double_quoted(text, at)
  local piece = ""
  while at <= #text do
    local char = text:sub(at, at)
    if char == '"' then
      return piece, at + 1
    end
    local quoted = char == "\\" and text:sub(at + 1, at + 1):match('["\\$`]')
    piece = piece .. (quoted or char)
    at = at + (quoted and 2 or 1)
  end
  return piece, at
end

--- The text up to the next single quote, and where it goes on.
---@param text string
---@param at integer
---@return string piece
---@return integer at
local function single_quoted(text, at)
  local close = text:find("'", at, true) or #text + 1
  return text:sub(at, close - 1), close + 1
end

--- Takes a command line apart: blanks separate words, quotes and backslashes are those of a
--- POSIX shell, a quote that is not closed reaches to the end. A leading `~` or `~/` of a word is
--- the home folder. Nothing else is expanded. Variables may be set before the command.
---@param text string
---@return string[] argv
function M.parse(text)
  local words, word, at = {}, nil, 1
  while at <= #text do
    local char = text:sub(at, at)
    at = at + 1
    if char:find("%s") then
      table.insert(words, word)
      word = nil
    else
      local piece = char
      if char == "'" then
        piece, at = single_quoted(text, at)
      elseif char == '"' then
        piece, at = double_quoted(text, at)
      elseif char == "\\" and backslash_quotes and at <= #text then
        piece, at = text:sub(at, at), at + 1
      end
      word = (word or "") .. piece
    end
  end
  table.insert(words, word)
  local argv = vim.tbl_map(require("claudecode.paths").expand_home, words)
  if argv[1] and argv[1]:find("^[%a_][%w_]*=") then
    table.insert(argv, 1, "env")
  end
  return argv
end

--- Writes a word so that it is read as one.
---@param word string
---@return string
function M.quote(word)
  if word ~= "" and not word:find("[^%w_./:=@,+-]") then
    return word
  end
  return "'" .. word:gsub("'", [['\'']]) .. "'"
end

--- Options that say how much Claude may do unasked; one that is given wins.
local function says_mode(words)
  return vim.iter(words):any(function(word)
    return word:find("^%-%-permission%-mode") ~= nil or word == "--dangerously-skip-permissions"
  end)
end

--- The command line that runs Claude.
---@param config claudecode.Config
---@param args? string What a command was given, added as it stands
---@param more? string[] Words of our own, which go before that
---@return string
function M.line(config, args, more)
  args = vim.trim(args or "")
  local parts = { vim.trim(config.terminal_cmd or "") }
  if parts[1] == "" then
    parts[1] = "claude"
  end
  local mode = config.permission_mode
  if mode and mode ~= "" and not says_mode(M.parse(parts[1] .. " " .. args)) then
    table.insert(parts, "--permission-mode " .. M.quote(mode))
  end
  vim.list_extend(parts, vim.tbl_map(M.quote, more or {}))
  if args ~= "" then
    table.insert(parts, args)
  end
  return table.concat(parts, " ")
end

return M
