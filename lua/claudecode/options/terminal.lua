--- Options of Claude's terminal.

local rules = require("claudecode.options.rules")

---@type claudecode.Option[]
return {
  {
    path = "terminal",
    default = {},
    rule = rules.table,
  },
  {
    path = "terminal.terminal_cmd",
    rule = rules.string_or_nil,
  },
  {
    path = "terminal.split_side",
    default = "right",
    rule = rules.one_of("left", "right"),
    lenient = true,
    doc = [[
On which side Claude's terminal opens.]],
  },
  {
    path = "terminal.split_width_percentage",
    default = 0.30,
    rule = rules.share,
    lenient = true,
    doc = [[
Its share of the editor's width.]],
  },
  {
    path = "terminal.diff_split_width_percentage",
    rule = rules.optional(rules.share),
    lenient = true,
    doc = [[
Its share while a proposal is open, if that is another.]],
  },
  {
    path = "terminal.provider",
    default = "auto",
    rule = rules.provider,
    lenient = true,
    open = true,
    doc = [[
What shows it: "snacks" (snacks.nvim), "native" (a terminal window), "external" (a program of yours), "none", "auto"
(snacks if there is one, else native), or a table of functions.]],
  },
  {
    path = "terminal.provider_opts",
    default = {},
    rule = rules.table,
    open = true,
  },
  {
    path = "terminal.provider_opts.external_terminal_cmd",
    rule = rules.optional(rules.external_command),
    doc = [[
The program of the provider "external": a string with `%s` for Claude's command, or with `%s` twice, for folder and
command; or a function that gets command and environment and returns a command.]],
  },
  {
    path = "terminal.show_native_term_exit_tip",
    default = true,
    rule = rules.boolean,
    lenient = true,
    doc = [[
Say once how a terminal is left.]],
  },
  {
    path = "terminal.auto_close",
    default = true,
    rule = rules.boolean,
    lenient = true,
    doc = [[
Close the terminal's window when Claude ends.]],
  },
  {
    path = "terminal.auto_insert",
    default = true,
    rule = rules.boolean,
    lenient = true,
    doc = [[
Start Terminal mode when a command enters the terminal.]],
  },
  {
    path = "terminal.snacks_win_opts",
    default = {},
    rule = rules.table,
    lenient = true,
    open = true,
    doc = [[
Options for the window of snacks.nvim.]],
  },
  {
    path = "terminal.fix_streamed_paste",
    default = "auto",
    rule = rules.one_of(true, false, "auto"),
    lenient = true,
    doc = [[
Hand a paste that Neovim receives in pieces to Claude as one; "auto": where Neovim does not do so itself.]],
  },
  {
    path = "terminal.cwd",
    rule = rules.optional(rules.string),
    lenient = true,
    doc = [[
Claude's working folder.]],
  },
  {
    path = "terminal.git_repo_cwd",
    default = false,
    rule = rules.boolean,
    lenient = true,
    doc = [[
Claude's working folder is the root of the file's git repository.]],
  },
  {
    path = "terminal.cwd_provider",
    rule = rules.optional(rules.callable),
    lenient = true,
    doc = [[
A function that gets `file`, `file_dir` and `cwd` and returns Claude's working folder.]],
  },
}
