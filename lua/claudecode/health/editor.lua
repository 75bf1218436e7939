--- The editor, and what else in it calls itself claudecode.

local health = vim.health
local M = {}

--- Folders that hold another plugin of these names.
local rivals = { "claudecode", "mcp-tools" }

--- The folder of the plugin whose file this is. Ours may be reached through a link to lua/ alone.
---@param file string lua/<name>/<file>
local function plugin_of(file)
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.uv.fs_realpath(file) or file)))
end

local ours = plugin_of(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)))

---@return string[]
local function others()
  local found = {}
  local function add(folder)
    if folder ~= ours and not vim.list_contains(found, folder) then
      table.insert(found, folder)
    end
  end
  for _, name in ipairs(rivals) do
    for _, file in ipairs(vim.api.nvim_get_runtime_file(("lua/%s/init.lua"):format(name), true)) do
      add(plugin_of(file))
    end
    for _, folder in ipairs(vim.fn.globpath(vim.o.packpath, ("pack/*/*/%s.nvim"):format(name), true, true)) do
      add(vim.uv.fs_realpath(folder) or folder)
    end
  end
  return found
end

local function check_session(port)
  local named = vim.trim(vim.env.CLAUDE_CODE_SSE_PORT or "")
  if named == "" then
    return
  elseif tonumber(named) == port then
    health.ok("CLAUDE_CODE_SSE_PORT is set to this editor's port")
  else
    local text =
      "CLAUDE_CODE_SSE_PORT is set, to %s: this editor belongs to a Claude session, and does not start by itself"
    health.warn(
      text:format(named),
      "A Claude that is started from here by hand connects to that port, not to this editor; /ide chooses another"
    )
  end
end

---@param facts claudecode.Facts
function M.check(facts)
  health.start("claudecode: editor")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim >= 0.10.0 is required")
  end
  local claudecode = require("claudecode")
  if claudecode.state.initialized then
    health.ok("setup() was called, plugin version " .. claudecode.version:string())
  else
    health.warn("setup() was not called: the defaults apply", 'require("claudecode").setup()')
  end
  check_session(facts.status.port)
  for _, folder in ipairs(others()) do
    health.warn(
      "another plugin of the same name is installed: " .. folder,
      "Remove coder/claudecode.nvim or mcp-tools.nvim: this plugin replaces both, and only one can be loaded"
    )
  end
end

return M
