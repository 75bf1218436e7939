--- Options of the server, of the selection and of mentions.

local rules = require("claudecode.options.rules")

---@type claudecode.Option[]
return {
  {
    path = "port_range",
    default = { min = 10000, max = 65535 },
    shown = "`{ min = 10000, max = 65535 }`",
    rule = rules.port_range,
    open = true,
    doc = [[
The ports to try, each once, from a random one on.]],
  },
  {
    path = "auto_start",
    default = true,
    rule = rules.boolean,
    doc = [[
Start the server in setup(), without waiting for it. With no user interface attached, that waits for one. It does
not start inside a Claude session of another editor (`$CLAUDE_CODE_SSE_PORT` is set), as for `git commit`: two
servers for one folder make Claude connect to neither. `:ClaudeCodeStart` always starts.]],
  },
  {
    path = "terminal_cmd",
    shown = "nil (`claude`)",
    rule = rules.string_or_nil,
    doc = [[
The command that runs Claude, with its arguments. No shell reads it, only quotes and a leading `~` mean what they mean
in one.]],
  },
  {
    path = "permission_mode",
    rule = rules.optional(rules.string),
    doc = [[
How much Claude may do unasked, passed to it as `--permission-mode`: with "default" it asks before each change, so that
you see a diff. `claude --help` lists the others. nil leaves it to Claude.]],
  },
  {
    path = "env",
    default = {},
    rule = rules.env,
    open = true,
    doc = [[
More environment variables for Claude, strings by name.]],
  },
  {
    path = "log_level",
    default = "info",
    rule = rules.one_of("trace", "debug", "info", "warn", "error"),
    doc = [[
The least level that is shown: "error", "warn", "info", "debug" or "trace". The daemon's log has the same level.]],
  },
  {
    path = "track_selection",
    default = true,
    rule = rules.boolean,
    doc = [[
Tell Claude what is selected, or where the cursor is. Without it nothing of it leaves the editor unasked, and
`:ClaudeCodeSend` needs a range or a Visual area.]],
  },
  {
    path = "selection_filter",
    rule = rules.optional(rules.callable),
    doc = [[
A function that gets a buffer and answers "full", "path" (Claude learns the file's name, not its text) or "none". By
default it answers "path" for `.env*`, `*.pem`, `*.key`, `id_*`, `*.kdbx` and `.netrc`, and "none" for a buffer
without a file.]],
  },
  {
    path = "visual_demotion_delay_ms",
    default = 50,
    rule = rules.not_negative,
    doc = [[
How long a selection that was left stays with Claude, in milliseconds, before the cursor replaces it.]],
  },
  {
    path = "focus_after_send",
    default = false,
    rule = rules.boolean,
    doc = [[
Move the cursor to Claude's terminal after a mention was sent. Otherwise the terminal is only shown. If no Claude is
connected, one is opened and entered either way.]],
  },
  {
    path = "connection_wait_delay",
    default = 600,
    rule = rules.not_negative,
    doc = [[
How long a Claude that has just connected is left alone before mentions are sent, in milliseconds: it drops what
comes within its first 100 ms.]],
  },
  {
    path = "connection_timeout",
    default = 10000,
    rule = rules.positive,
    doc = [[
How long mentions wait for a Claude to connect, in milliseconds. After that they are given up, with a message.]],
  },
  {
    path = "queue_timeout",
    default = 5000,
    rule = rules.positive,
    doc = [[
How old a mention may be when it is sent to a Claude that was connected all along, in milliseconds. An older one is
dropped, with a message.]],
  },
  {
    path = "disable_broadcast_debouncing",
    rule = rules.optional(rules.boolean),
    doc = [[
Send each mention at once, instead of 50 ms after the last of those made in one go.]],
  },
  {
    path = "enable_broadcast_debouncing_in_tests",
    rule = rules.optional(rules.boolean),
  },
  {
    path = "models",
    default = {
      { name = "Claude Opus (Latest)", value = "opus" },
      { name = "Claude Opus (Latest, 1M context)", value = "opus[1m]" },
      { name = "Claude Sonnet (Latest)", value = "sonnet" },
      { name = "Claude Sonnet (Latest, 1M context)", value = "sonnet[1m]" },
      { name = "Claude Haiku (Latest)", value = "haiku" },
      { name = "Default (account recommended)", value = "default" },
    },
    shown = "Opus, Sonnet, Haiku, the account's",
    rule = rules.models,
    open = true,
    doc = [[
The models that `:ClaudeCodeSelectModel` offers: tables with `name`, and `value` for `--model`.]],
  },
}
