-- Defines the commands; what they run is loaded when they run.

if vim.g.loaded_claudecode then
  return
end
vim.g.loaded_claudecode = 1

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify("Claude Code requires Neovim >= 0.10.0", vim.log.levels.ERROR)
  return
end

--- By name: the module, its function, and how |nvim_create_user_command()| defines the command.
--- Those of the module claudecode get no arguments, the others the command's.
---@type table<string, { [1]: string, [2]: string, [3]: table }>
local commands = {
  Start = { "claudecode", "start", { desc = "Start the Claude Code server" } },
  Stop = { "claudecode", "stop", { desc = "Stop the Claude Code server" } },
  Status = { "claudecode.status", "command", { desc = "Show what the Claude Code server is doing", bang = true } },
  Activity = { "claudecode.activity_view", "open", { desc = "Show what each client does, now and before" } },
  Permissions = {
    "mcp-tools.permissions.view",
    "command",
    { desc = "Show what may run; with ! take back what was allowed", bang = true },
  },
  [""] = {
    "claudecode.terminal.commands",
    "toggle",
    { desc = "Show or hide Claude's terminal; arguments are those of a Claude that is started", nargs = "*" },
  },
  Focus = { "claudecode.terminal.commands", "focus", { desc = "Go to Claude's terminal, or hide it", nargs = "*" } },
  Open = { "claudecode.terminal.commands", "open", { desc = "Go to Claude's terminal", nargs = "*" } },
  Close = { "claudecode.terminal.commands", "close", { desc = "End the Claude that runs in the editor" } },
  SendText = {
    "claudecode.terminal.commands",
    "send_text",
    { desc = "Type text into Claude's terminal; with ! without Enter", nargs = "+", bang = true },
  },
  SelectModel = {
    "claudecode.terminal.commands",
    "select_model",
    { desc = "Choose a model and open Claude with it", nargs = "*" },
  },
  Log = { "claudecode", "open_log", { desc = "Show the log of the Claude Code server" } },
  Send = {
    "claudecode.mention.commands",
    "send",
    { desc = "Mention lines in Claude's prompt", range = true },
  },
  Add = {
    "claudecode.mention.commands",
    "add",
    {
      desc = "Mention a file or folder in Claude's prompt",
      nargs = "+",
      complete = function(lead)
        return require("claudecode.mention.commands").complete(lead)
      end,
    },
  },
  TreeAdd = {
    "claudecode.explorers.commands",
    "tree_add",
    { desc = "Mention what is selected in a file explorer in Claude's prompt", range = true },
  },
  DiffAccept = {
    "claudecode.diff.commands",
    "accept",
    { desc = "Accept Claude's change; of a unified diff, only the hunks of a range", range = true },
  },
  DiffDeny = {
    "claudecode.diff.commands",
    "deny",
    { desc = "Reject Claude's change; of a unified diff, only the hunks of a range", range = true },
  },
  Review = {
    "claudecode.turns.commands",
    "review",
    { desc = "Review what Claude changed in its last prompt, or the n-th last", nargs = "?" },
  },
  Turns = { "claudecode.turns.commands", "turns", { desc = "List the prompts and what each changed" } },
  Revert = {
    "claudecode.turns.commands",
    "revert",
    { desc = "Take back what Claude changed in a range, a file, or with ! all", range = true, bang = true },
  },
  CloseAllDiffs = { "claudecode.diff.commands", "close_all", { desc = "Reject all changes that Claude proposed" } },
}

for name, command in pairs(commands) do
  local module, action, options = unpack(command)
  vim.api.nvim_create_user_command("ClaudeCode" .. name, function(given)
    if module == "claudecode" then
      require(module)[action]()
    else
      require(module)[action](given)
    end
  end, options)
end

if type(vim.g.claudecode_auto_setup) == "table" then
  vim.schedule(function()
    require("claudecode").setup(vim.g.claudecode_auto_setup)
  end)
end
