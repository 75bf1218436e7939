--- The program claudecoded.

local binary = require("claudecode.binary")
local run = require("claudecode.health.run")

local health = vim.health
local M = {}

--- How long it may take to tell its version. Milliseconds.
M.timeout_ms = 2000

---@param argv string[]
---@return claudecode.Inquiry
function M.inquiry(argv)
  return run.program(vim.list_extend(vim.list_slice(argv), { "version" }), M.timeout_ms)
end

---@param facts claudecode.Facts
function M.check(facts)
  health.start("claudecode: daemon program")
  if not facts.argv then
    return health.error(facts.no_argv or "claudecoded not found")
  end
  health.ok("found: " .. table.concat(facts.argv, " "))
  local version, problem = run.line(facts.program, M.timeout_ms)
  if not version then
    return health.error("it does not tell its version: " .. problem, "Run `claudecoded version` in a shell")
  end
  health.info(version)
  local protocol = tonumber(version:match("protocol (%d+)"))
  local wrong = binary.mismatch(protocol)
  if wrong then
    health.error(wrong)
  elseif protocol then
    health.ok(("plugin and program speak protocol %d"):format(protocol))
  end
end

return M
