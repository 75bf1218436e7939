--- Finds the program claudecoded.

local paths = require("claudecode.paths")

local M = {}

--- The number of the message set that this plugin speaks with the daemon.
M.protocol = 5

--- The folder that holds this plugin.
M.folder = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")

--- What the user can do about a program that is missing or of another age.
local function remedy()
  return ("run `make build` in %s (or :Lazy build claudecoded)"):format(M.folder)
end

---@param theirs any The protocol number that the daemon named
---@return string?
function M.mismatch(theirs)
  if theirs ~= nil and theirs ~= M.protocol then
    return ("claudecoded speaks protocol %s, this plugin %d: %s"):format(theirs, M.protocol, remedy())
  end
end

--- The command that runs the daemon: `daemon.cmd` if it is set, else bin/claudecoded in the
--- plugin's folder, else claudecoded on PATH.
---@param cmd? string|string[] The option daemon.cmd
---@return string[]? argv
---@return string? err
function M.find(cmd)
  if cmd then
    local argv = vim.list_slice(type(cmd) == "table" and cmd or { cmd })
    argv[1] = paths.expand_home(argv[1])
    if vim.fn.executable(argv[1]) == 1 then
      return argv
    end
    return nil, ("daemon.cmd is not executable: %s"):format(argv[1])
  end
  for _, candidate in ipairs({ M.folder .. "/bin/claudecoded", "claudecoded" }) do
    local path = vim.fn.exepath(candidate)
    if path ~= "" then
      return { path }
    end
  end
  local places = "looked in bin/ there, on PATH, and in the option daemon.cmd, which is not set"
  return nil, ("claudecoded not found: %s; %s"):format(remedy(), places)
end

return M
