--- Options of the review of what Claude changed already.

local rules = require("claudecode.options.rules")

---@type claudecode.Option[]
return {
  {
    path = "review",
    default = {},
    rule = rules.table,
  },
  {
    path = "review.git",
    default = true,
    rule = rules.boolean,
    doc = [[
Look in git work trees for what shell commands changed. Nothing is written there. It counts when the server starts
first.]],
  },
  {
    path = "review.signs",
    default = false,
    rule = rules.boolean,
    doc = [[
Mark the lines that Claude changed since the last prompt with signs, until you look at them with `:ClaudeCodeReview`.]],
  },
}
