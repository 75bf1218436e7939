--- Amp, started from the editor with its tools.

local M = {}

local function notify(message)
  require("claudecode.log").tools("error", message)
end

--- Writes Amp's configuration, for the user alone: the token is in it.
---@param port integer
---@return string path
local function write(port)
  local path = vim.fn.tempname() .. ".json"
  local file = assert(vim.uv.fs_open(path, "wx", tonumber("600", 8)))
  local text = vim.json.encode({
    ["nvim-tools"] = {
      url = ("http://127.0.0.1:%d/mcp"):format(port),
      headers = { Authorization = "Bearer " .. require("mcp-tools.bridge").get_auth_token() },
    },
  })
  assert(vim.uv.fs_write(file, text) == #text, "cannot write " .. path)
  vim.uv.fs_close(file)
  return path
end

--- Runs Amp in a window, in a terminal buffer of its own. Its configuration goes when it ends.
---@param win integer
---@param port integer
local function run(win, port)
  local path = write(port)
  vim.api.nvim_win_set_buf(win, vim.api.nvim_create_buf(true, false))
  local no_proxy = require("claudecode.terminal.environment").no_proxy({})
  vim.api.nvim_win_call(win, function()
    require("claudecode.terminal.buffer").run({ "amp", "--ide", "--mcp-config", path }, {
      env = { no_proxy = no_proxy, NO_PROXY = no_proxy },
      on_exit = function()
        vim.fn.delete(path)
      end,
    })
  end)
end

--- Starts Amp in the current window, and the server first if there is none.
function M.start()
  if vim.fn.executable("amp") == 0 then
    return notify("amp is not on PATH")
  end
  local win = vim.api.nvim_get_current_win()
  require("mcp-tools.bridge").when_ready(function(port)
    local ok, err = pcall(run, vim.api.nvim_win_is_valid(win) and win or 0, port)
    if not ok then
      notify("Amp was not started: " .. require("claudecode.strict").reason(err))
    end
  end)
end

function M.setup()
  vim.api.nvim_create_user_command("AmpStartWithMCP", M.start, { desc = "Start Amp with the editor's tools" })
end

return M
