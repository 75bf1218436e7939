--- Every option: what it is, its default, the rule it keeps. Validation, the help file and the
--- README's table are made from this one list.

local dotted = require("claudecode.options.dotted")

local M = {}

---@class claudecode.Option
---@field path string
---@field parent? string The path of the table that it is in, empty for the topmost; filled in here
---@field name? string
---@field default any
---@field shown? string The default as the documents show it
---@field rule claudecode.Rule
---@field lenient? boolean A value that breaks the rule is a warning, and the default stays
---@field open? boolean What is in it is the user's: not merged, and its keys are not checked
---@field doc? string Absent for what old configurations may hold, and for tables of options

--- In the order in which they are checked and documented; a table comes before what is in it.
---@type claudecode.Option[]
M.list = {}
for _, group in ipairs({ "general", "mcp", "diff", "review", "terminal", "daemon" }) do
  vim.list_extend(M.list, require("claudecode.options." .. group))
end

--- Options that stand for others: what a value of theirs means.
---@type { path: string, parent?: string, name?: string, apply: fun(config: table, value: any) }[]
M.aliases = {
  {
    path = "diff_opts.vertical_split",
    apply = function(config, value)
      config.diff_opts.layout = value and "vertical" or "horizontal"
    end,
  },
  {
    path = "diff_opts.open_in_current_tab",
    apply = function(config, value)
      config.diff_opts.open_in_new_tab = not value
    end,
  },
}

-- At the top level these mean Claude's working folder.
for _, key in ipairs({ "cwd", "git_repo_cwd", "cwd_provider" }) do
  table.insert(M.aliases, {
    path = key,
    apply = function(config, value)
      config.terminal[key] = value
    end,
  })
end

for _, options in ipairs({ M.list, M.aliases }) do
  for _, option in ipairs(options) do
    option.parent, option.name = dotted.split(option.path)
  end
end

return M
