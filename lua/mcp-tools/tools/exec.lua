--- exec_ex and exec_lua: run what a client sends. They are asked for unless the user's rules allow
--- them. What runs has the editor for itself: it is not interrupted, but for questions to the user.

local cut = require("mcp-tools.cut")
local strict = require("claudecode.strict")
local touches = require("mcp-tools.permissions.touches")
local values = require("mcp-tools.values")

local M = {}

local api = vim.api

--- Bytes of output, and of a value that has no JSON form, in one answer.
local max_bytes = 64 * 1024

--- How often it is looked whether what runs waits for a key. Milliseconds.
local watch_ms = 50

local interrupt, probe = "\3", vim.keycode("<Ignore>")

local namespace = api.nvim_create_namespace("mcp-tools.exec")

--- Interrupts what waits for a key, as input(), confirm() and getchar() do: nobody would know what it
--- is about. Neovim says of some that they do; others take a key that means nothing to anybody.
---@return fun(): boolean stop Returns whether there was one
local function refuse_questions()
  local timer, refused, probing = assert(vim.uv.new_timer()), false, false
  local function refuse()
    refused = true
    api.nvim_input(interrupt)
  end
  vim.on_key(function(key)
    if probing and key == probe then
      probing = false
      refuse()
    end
  end, namespace)
  timer:start(watch_ms, watch_ms, function()
    local mode = api.nvim_get_mode()
    if mode.blocking or mode.mode:find("^[cr]") then
      refuse()
    elseif not probing then
      probing = true
      api.nvim_input("<Ignore>")
    end
  end)
  return function()
    timer:close()
    vim.on_key(nil, namespace)
    return refused
  end
end

local running ---@type fun()

--- Where Neovim comes back to, see run().
function M.run_captured()
  running()
end

--- Runs f, with what it prints.
---@param f fun()
---@return boolean ok
---@return string output Or what went wrong
local function capture(f)
  local confirm = vim.o.confirm
  vim.o.confirm = false
  running = f
  local stop = refuse_questions()
  local ok, found = pcall(api.nvim_exec2, "lua require('mcp-tools.tools.exec').run_captured()", { output = true })
  local asked = stop()
  vim.o.confirm = confirm
  if asked then
    return false, "It asked the user, and was interrupted: what runs here must not wait for keys"
  end
  return ok, ok and found.output or tostring(found)
end

--- What an error says, without where it came through.
local function complaint(err)
  local text = strict.reason(err):gsub("^nvim_exec2.-: (Vim[%(:])", "%1"):gsub("^Vim%(?[^:]*:", "")
  return cut.marked(text, max_bytes)
end

--- A value as it is, or in words if it has no JSON form.
local function fit(value)
  if value == nil or not values.problem(value, "") then
    return value
  end
  return cut.marked(vim.inspect(value), max_bytes)
end

local ex = {
  name = "exec_ex",
  description = "Run Ex commands in the editor, and return what they print. They must not wait for the user",
  args = {
    command = { type = "string", description = "One command or several lines of them", required = true },
  },
  annotations = { title = "Run Ex commands", readOnlyHint = false, destructiveHint = true, openWorldHint = true },
  policy = "ask",
  paths = touches.unknown,
  ui = true,
  execute = function(cb, args)
    local ok, output = capture(function()
      vim.cmd(args.command)
    end)
    if not ok then
      return cb(nil, complaint(output))
    end
    cb({ output = cut.marked(output, max_bytes) })
  end,
}

local lua = {
  name = "exec_lua",
  description = "Run Lua in the editor, and return what it prints and what it returns. It must not wait for the user",
  args = {
    code = { type = "string", description = "A chunk of Lua; `return` gives its result", required = true },
  },
  annotations = { title = "Run Lua", readOnlyHint = false, destructiveHint = true, openWorldHint = true },
  policy = "ask",
  paths = touches.unknown,
  ui = true,
  execute = function(cb, args)
    local chunk, wrong = loadstring(args.code, "=exec_lua")
    if not chunk then
      return cb(nil, wrong)
    end
    local value
    local ok, output = capture(function()
      value = chunk()
    end)
    if not ok then
      return cb(nil, complaint(output))
    end
    cb({ output = cut.marked(output, max_bytes), result = fit(value) })
  end,
}

return setmetatable({ ex, lua }, { __index = M })
