--- What the user commands about the terminal do.

local terminal = require("claudecode.terminal")

local M = {}

--- Ends Visual mode, which would go on in the terminal.
local function leave_visual()
  if vim.api.nvim_get_mode().mode:find("^[vV\22]") then
    vim.cmd("normal! \27")
  end
end

---@param action string
local function command(action)
  ---@param given vim.api.keyset.create_user_command.command_args
  return function(given)
    leave_visual()
    terminal[action]({}, given.args)
  end
end

M.toggle = command("simple_toggle")
M.focus = command("focus_toggle")
M.open = command("open")

function M.close()
  terminal.close()
end

---@param given vim.api.keyset.create_user_command.command_args
function M.send_text(given)
  if vim.trim(given.args) == "" then
    return require("claudecode.log").warn("terminal", "ClaudeCodeSendText: no text provided")
  end
  terminal.send_to_terminal(given.args, { submit = not given.bang })
end

---@param given vim.api.keyset.create_user_command.command_args
function M.select_model(given)
  require("claudecode.terminal.models").pick(given.args)
end

return M
