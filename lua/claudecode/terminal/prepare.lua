--- What the options of the terminal ask for at once. The rest of it is loaded when somebody wants it.

local function provider()
  return require("claudecode.terminal.provider")
end

--- Has a paste put together, where this Neovim does not do so itself.
---@param mode boolean|"auto"
local function fix_paste(mode)
  local enabled = mode == true or mode == "auto" and vim.fn.has("nvim-0.12.2") == 0
  if enabled or package.loaded["claudecode.terminal.paste_fix"] then
    require("claudecode.terminal.paste_fix").apply(enabled)
  end
end

---@param options claudecode.Config
return function(options)
  local terminal = options.terminal
  fix_paste(terminal.fix_streamed_paste)
  if type(terminal.provider) == "table" and not require("claudecode.terminal.custom").problem(terminal.provider) then
    terminal.provider.setup(terminal)
  end
  if terminal.provider ~= "auto" then
    provider().check(terminal.provider)
  end
  if options.focus_after_send and not provider().can_focus(terminal.provider) then
    local message = "focus_after_send cannot focus a terminal outside the editor; the event ClaudeCodeSendComplete can"
    require("claudecode.log").warn("config", message)
  end
end
