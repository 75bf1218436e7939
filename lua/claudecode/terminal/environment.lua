--- The environment of a Claude that is started from here: how it finds this editor, and that no
--- proxy stands between the two.

local M = {}

--- What no proxy may be asked for: connections to this machine.
local loopback = { "localhost", "127.0.0.1", "::1" }

--- The entries of all lists, in their order, each once.
---@param lists (string?)[] By index; some may be nil
---@param count integer
---@return string[]
local function merged(lists, count)
  local entries, known = {}, {}
  for i = 1, count do
    for _, entry in ipairs(vim.split(lists[i] or "", ",", { plain = true })) do
      entry = vim.trim(entry)
      if entry ~= "" and not known[entry] then
        known[entry] = true
        table.insert(entries, entry)
      end
    end
  end
  return entries
end

--- The list of what no proxy is asked for: that of the user, and this machine.
---@param env table<string, string> What the user adds to the editor's own
---@return string
function M.no_proxy(env)
  local lists = { vim.env.no_proxy, vim.env.NO_PROXY, env.no_proxy, env.NO_PROXY, table.concat(loopback, ",") }
  return table.concat(merged(lists, 5), ",")
end

--- What is added to the editor's own environment.
---@param config claudecode.Config
---@param port? integer Of the server, nil if none runs
---@return table<string, string>
function M.make(config, port)
  local env = vim.tbl_extend("force", {
    ENABLE_IDE_INTEGRATION = "true",
    FORCE_CODE_TERMINAL = "true",
    CLAUDE_CODE_AUTO_CONNECT_IDE = "true",
    CLAUDE_CODE_SSE_PORT = port and tostring(port),
  }, config.env)
  local no_proxy = M.no_proxy(config.env)
  env.no_proxy, env.NO_PROXY = no_proxy, no_proxy
  return env
end

return M
