--- Options of the daemon.

local rules = require("claudecode.options.rules")

---@type claudecode.Option[]
return {
  {
    path = "daemon",
    default = {},
    rule = rules.table,
  },
  {
    path = "daemon.cmd",
    rule = rules.optional(rules.command),
    doc = [[
The program to run instead of the one that is found: a path or name, or a list of it and its first arguments. A
leading `~` is the home folder. Otherwise it is `bin/claudecoded` in the plugin's folder, else `claudecoded` on
`PATH`.]],
  },
  {
    path = "daemon.log_file",
    rule = rules.optional(rules.string),
    doc = [[
A file for the daemon's log, of which a leading `~` is the home folder. It never holds file contents, selections or
tokens.]],
  },
  {
    path = "daemon.ping_interval_ms",
    shown = "nil (30000)",
    rule = rules.optional(rules.count),
    doc = [[
How often a client is asked whether it is alive, in milliseconds.]],
  },
  {
    path = "daemon.max_clients",
    shown = "nil (64)",
    rule = rules.optional(rules.count),
    doc = [[
How many Claudes may be connected at once.]],
  },
  {
    path = "daemon.allowed_hosts",
    rule = rules.optional(rules.names),
    open = true,
    doc = [[
Names that a client may address the server by, in its Host header, besides the loopback ones: for a Claude in a
container, `{ "host.docker.internal" }`. A name is for every port, `name:port` for that one.]],
  },
}
