--- :ClaudeCodeTurns: what each prompt changed.

local ask = require("claudecode.turns.ask")
local list = require("claudecode.turns.list")
local words = require("claudecode.words")

local M = {}

local api = vim.api

---@param entry claudecode.TurnEntry
---@return string[]
local function row(entry)
  return {
    list.who(entry),
    words.count(entry.files, "file"),
    "+" .. entry.added,
    "-" .. entry.removed,
    entry.open and "until the next prompt" or "",
  }
end

--- What is shown.
---@param entries? claudecode.TurnEntry[]
---@param err? string
---@return string[]
function M.compose(entries, err)
  if err then
    return { words.plain(err) }
  elseif not entries then
    return { "The daemon has not answered yet." }
  elseif #entries == 0 then
    return { "No Claude had a prompt yet." }
  end
  return vim.tbl_map(function(line)
    return (line:gsub("%s+$", ""))
  end, words.columns(vim.tbl_map(row, entries)))
end

--- The command.
function M.open()
  local entries, problem ---@type claudecode.TurnEntry[]?, string?
  require("claudecode.live_view").open({
    title = "Claude's prompts",
    footer = "Enter: review   q: close",
    filetype = "claudecode-turns",
    lines = function()
      return M.compose(entries, problem)
    end,
    ask = function(show)
      local wanted = true
      ask.ask("turns", {}, function(answer, err)
        if wanted then
          entries, problem = answer, err
          show()
        end
      end)
      return function()
        wanted = false
      end
    end,
    keys = {
      ["<CR>"] = function(line)
        local entry = entries and entries[line]
        if entry then
          api.nvim_win_close(0, true)
          require("claudecode.turns.commands").open_turn(entry.turn)
        end
      end,
    },
  })
end

return M
