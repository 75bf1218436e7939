--- The clients that the daemon reported, and what begins and ends with one. Loaded with the first.

local clock = require("claudecode.clock")
local server = require("claudecode.server")

local M = {}

M.all = {} ---@type table<integer, claudecode.Client> By the number n of client_<n>

--- The number n of client_<n>.
---@param client any client_<n>, its number, or a table with its id
---@return integer?
function M.number_of(client)
  local id = type(client) == "table" and client.id or client
  return type(id) == "string" and tonumber(id:match("^client_(%d+)$")) or id
end

--- The number of a client that is connected.
---@param client any As number_of() takes it
---@return integer?
function M.connected(client)
  local n = M.number_of(client)
  return M.all[n] and n
end

--- All of them, in the order in which they came.
---@return claudecode.Client[]
function M.list()
  local list = vim.tbl_values(M.all)
  table.sort(list, function(a, b)
    return #a.id < #b.id or (#a.id == #b.id and a.id < b.id)
  end)
  return list
end

--- The selection is tracked only while somebody listens.
local function changed()
  require("claudecode.selection").on_clients()
  server.announce()
end

---@param n integer
function M.opened(n)
  _G.claudecode_clients_created = math.max(_G.claudecode_clients_created or 0, n)
  M.all[n] = { id = "client_" .. n, state = "connected", handshake_complete = true, connected_at = clock.now() }
  changed()
  vim.schedule(function()
    local claudecode = require("claudecode")
    if claudecode.process_mention_queue then
      claudecode.process_mention_queue(true)
    end
  end)
end

--- Ends what a client left behind.
---@param n integer
function M.closed(n)
  local client = M.all[n]
  if not client then
    return
  end
  M.all[n] = nil
  require("claudecode.server.dispatch").forget(function(other)
    return M.number_of(other) == n
  end)
  changed()
  vim.schedule(function()
    local diff = package.loaded["claudecode.diff"]
    if diff then
      diff.close_diffs_for_client(client.id, "client disconnected")
    end
  end)
end

--- Nobody is connected any more.
function M.forget_all()
  for n in pairs(M.all) do
    M.closed(n)
  end
end

return M
