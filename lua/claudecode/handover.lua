--- What `:restart` (0.12) carries over to the next Neovim: port, token and client counter.
---
--- The next process is started before this one is told to leave, so it can only be told in
--- advance: the environment names a file, and VimLeavePre writes it if this exit is a restart.
--- The token is in the file alone, which is the user's alone and read once.

local M = {}

--- The variable that names the file.
local variable = "CLAUDECODED_HANDOVER"

--- After that many seconds nobody comes back, and what a file says is void.
local void_after = 30

---@class (exact) claudecode.Handover
---@field port integer
---@field token string
---@field clients_created integer
---@field time integer When it was written, in seconds since 1970

local inherited ---@type claudecode.Handover?

local function is_fresh(left)
  return type(left) == "table"
    and type(left.port) == "number"
    and type(left.token) == "string"
    and type(left.clients_created) == "number"
    and type(left.time) == "number"
    and os.time() - left.time <= void_after
end

--- Reads the file that another Neovim left for this one, and removes it.
local function read()
  local path = vim.env[variable]
  if not path then
    return
  end
  vim.env[variable] = nil
  local file = io.open(path)
  if not file then
    return
  end
  local text = file:read("*a")
  file:close()
  os.remove(path)
  local ok, left = pcall(vim.json.decode, text)
  if ok and is_fresh(left) then
    inherited = left
  end
end

--- Whether a Neovim that restarted as this one had a server.
---@return boolean
function M.pending()
  read()
  return inherited ~= nil
end

--- What it had; told once.
---@return claudecode.Handover?
function M.take()
  read()
  local left = inherited
  inherited = nil
  if left then
    _G.claudecode_clients_created = math.max(_G.claudecode_clients_created or 0, left.clients_created)
  end
  return left
end

--- From now on, a restart can hand over.
function M.prepare()
  if vim.fn.exists("v:exitreason") == 1 then
    vim.env[variable] = ("%s/claudecoded-%d.json"):format(vim.fn.stdpath("state"), vim.fn.getpid())
  end
end

--- Leaves port, token and counter for the next Neovim, if this exit is a restart.
---@param port integer
---@param token string
function M.leave(port, token)
  local path = vim.env[variable]
  if vim.v.exitreason ~= "restart" or not path then
    return
  end
  vim.fn.mkdir(vim.fs.dirname(path), "p", tonumber("700", 8))
  local file = vim.uv.fs_open(path, "wx", tonumber("600", 8))
  if file then
    local clients_created = _G.claudecode_clients_created or 0
    vim.uv.fs_write(
      file,
      vim.json.encode({ port = port, token = token, clients_created = clients_created, time = os.time() })
    )
    vim.uv.fs_close(file)
  end
end

return M
