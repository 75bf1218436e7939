--- Errors of autocommands. Some calls print them and go on; here they are raised instead.

local M = {}

local running = {} ---@type { call: fun(), results?: table }[]

--- Where Neovim comes back to, see call().
function M._run()
  running[#running].call()
end

--- Calls f; an error of an autocommand that it triggers is raised, as one of its own is. What f
--- did before that stays done.
---@generic T
---@param f fun(...): T
---@param ... any
---@return T
function M.call(f, ...)
  local args, count = { ... }, select("#", ...)
  local entry = {}
  function entry.call()
    entry.results = { f(unpack(args, 1, count)) }
  end
  table.insert(running, entry)
  -- Within a command that the API runs, every message of an error is an exception.
  local ok, err = pcall(vim.api.nvim_cmd, { cmd = "lua", args = { "require('claudecode.strict')._run()" } }, {})
  table.remove(running)
  if not ok then
    error(M.reason(err), 0)
  end
  return unpack(entry.results)
end

--- Calls f and forgets its errors, those of autocommands too.
---@param f fun(...)
---@param ... any
function M.try(f, ...)
  pcall(M.call, f, ...)
end

--- What stands before the words of an error.
local leads = {
  "^.*[lL]ua callback: ",
  "^.*E5108: ",
  "^Error executing [lL]ua:? ",
  "^Lua: ",
  "^Vim:",
  "^Vim%b():",
  "^%[string .-%]:%d+: ",
  "^%S+%.lua:%d+: ",
}

--- What an error says, without where it came through and without the stack.
---@param err any
---@return string
function M.reason(err)
  local text = vim.split(tostring(err), "\n", { plain = true })[1]
  local before
  repeat
    before = text
    for _, lead in ipairs(leads) do
      text = text:gsub(lead, "")
    end
  until text == before
  return text
end

return M
