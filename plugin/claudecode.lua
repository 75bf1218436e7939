-- Defines the commands; what they run is loaded when they run.

if vim.g.loaded_claudecode then
  return
end
vim.g.loaded_claudecode = 1

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify("Claude Code requires Neovim >= 0.10.0", vim.log.levels.ERROR)
  return
end

---@type { [1]: string, [2]: string, [3]: string }[]
local commands = {
  { "ClaudeCodeStart", "start", "Start the Claude Code server" },
  { "ClaudeCodeStop", "stop", "Stop the Claude Code server" },
  { "ClaudeCodeStatus", "status", "Show whether the Claude Code server runs" },
  { "ClaudeCodeLog", "open_log", "Show the log of the Claude Code server" },
}

for _, command in ipairs(commands) do
  local name, action, desc = unpack(command)
  vim.api.nvim_create_user_command(name, function()
    require("claudecode")[action]()
  end, { desc = desc })
end

if type(vim.g.claudecode_auto_setup) == "table" then
  vim.schedule(function()
    require("claudecode").setup(vim.g.claudecode_auto_setup)
  end)
end
