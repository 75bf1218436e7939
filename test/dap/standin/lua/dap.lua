-- The public functions of nvim-dap that the tools use, as its help describes them, for executable
-- adapters. Where a program stops it takes the user there, unless the adapter hints not to.
local M = {}

local sessions, focused = {}, nil

local function tables()
  return setmetatable({}, {
    __index = function(self, key)
      rawset(self, key, {})
      return rawget(self, key)
    end,
  })
end

M.adapters, M.configurations = {}, {}
M.listeners = { before = tables(), after = tables(), on_config = {}, on_session = {} }
M.defaults = setmetatable({}, {
  __index = function(self, key)
    rawset(self, key, { stepping_granularity = "statement", auto_continue_if_many_stopped = true })
    return rawget(self, key)
  end,
})

function M.session()
  return focused
end

function M.sessions()
  return sessions
end

function M.set_session(new)
  local old = focused
  focused = new or select(2, next(sessions))
  if focused and not focused.parent then
    sessions[focused.id] = focused
  end
  for _, f in pairs(M.listeners.on_session) do
    f(old, focused)
  end
end

M.listeners.after.event_stopped["dap.sessions"] = function(session)
  if not focused or not focused.stopped_thread_id then
    M.set_session(session)
  end
end

function M.run(config, opts)
  vim.cmd("doautocmd <nomodeline> User DapProgressUpdate")
  local function with(adapter)
    local session = require("dap.session").spawn(adapter, config, opts or {})
    if not session then
      return
    end
    session.on_close["dap.session"] = function()
      sessions[session.id] = nil
      M.set_session(nil)
    end
    M.set_session(session)
  end
  for _, f in pairs(M.listeners.on_config) do
    config = f(config)
  end
  local adapter = M.adapters[config.type]
  if type(adapter) == "function" then
    adapter(with, config)
  else
    with(adapter)
  end
end

function M.clear_breakpoints()
  local all = require("dap.breakpoints").get()
  for buf in pairs(all) do
    all[buf] = {}
  end
  require("dap.breakpoints").clear()
  for _, session in pairs(sessions) do
    session:set_breakpoints(all)
  end
end

return M
