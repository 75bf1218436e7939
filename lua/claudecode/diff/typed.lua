--- Whether it is the user who writes a buffer: a key was typed for it, in its window and in this
--- turn of the main loop. Keys are noticed as long as somebody asks.

local M = {}

local api, fn = vim.api, vim.fn

local group = api.nvim_create_augroup("ClaudeCodeMCPDiff", { clear = false })
local namespace = api.nvim_create_namespace("claudecode_diff_keys")

local askers = 0
local autocmds = {} ---@type integer[]
local typed_in ---@type integer? The window in which a key was typed in this turn of the main loop

--- What writes every changed buffer by the way if 'autowrite' or 'autowriteall' is set. So do
--- |:make| and its like, which say that they begin, and CTRL-Z.
local writers = { ["!"] = true, stop = true, suspend = true, quit = true, qall = true, quitall = true }
local ctrl_z = "\26"

--- What a mapping to a command begins with.
local cmd_key = vim.keycode("<Cmd>")

--- The window that the user is in. From the command-line window a command goes to the one before.
local function current_window()
  return fn.getcmdwintype() ~= "" and fn.win_getid(fn.winnr("#")) or api.nvim_get_current_win()
end

local function forget()
  typed_in = nil
end

--- Whether a command writes buffers by the way.
local function is_writer(command)
  local ok, parsed = pcall(api.nvim_parse_cmd, command, {})
  return ok and writers[parsed.cmd] == true
end

--- Whether the mapping of keys runs one.
local function maps_to_writer(keys)
  local mapped_to = fn.maparg(fn.keytrans(keys), api.nvim_get_mode().mode:sub(1, 1))
  return vim.iter(mapped_to:gmatch("<Cmd>(.-)<CR>")):any(is_writer)
end

local function on_key(key, typed)
  if (typed or "") == "" then
    return
  elseif not typed_in then
    vim.schedule(forget)
  end
  local by_the_way = key == ctrl_z or key == cmd_key and maps_to_writer(typed)
  typed_in = not by_the_way and current_window() or nil
end

local function on(event, options)
  table.insert(autocmds, api.nvim_create_autocmd(event, vim.tbl_extend("error", { group = group }, options)))
end

local function listen()
  on("SafeState", {
    desc = "Ends a typed command",
    callback = function()
      -- What waits in the main loop's queue since before the key was typed runs after this. A
      -- command of the command-line window runs after that was left.
      if fn.getcmdwintype() == "" then
        forget()
      end
    end,
  })
  on("CmdlineLeave", {
    pattern = ":",
    desc = "Knows what writes by the way",
    callback = function()
      if is_writer(fn.getcmdline()) then
        forget()
      end
    end,
  })
  on("QuickFixCmdPre", { desc = "Knows what writes by the way", callback = forget })
  vim.on_key(on_key, namespace)
end

local function stop_listening()
  vim.on_key(nil, namespace)
  vim.iter(autocmds):each(api.nvim_del_autocmd)
  autocmds = {}
end

--- Notices keys from now on.
---@return fun() stop To be called once
function M.watch()
  askers = askers + 1
  if askers == 1 then
    listen()
  end
  return function()
    askers = askers - 1
    if askers == 0 then
      stop_listening()
    end
  end
end

--- Whether the user wrote the buffer, and not a plugin. Neovim makes its window the current one for
--- the autocommand of any write, `:wa` elsewhere too; an autocommand around ours is a plugin's.
---@param buf integer
---@return boolean
function M.in_window_of(buf)
  local autocommands = select(2, fn.expand("<stack>"):gsub("Autocommands for", ""))
  return typed_in ~= nil
    and api.nvim_win_is_valid(typed_in)
    and api.nvim_win_get_buf(typed_in) == buf
    and autocommands == 1
    -- What was queued before a key runs while he types a command. SafeState does not tell of it
    -- where that is completed.
    and api.nvim_get_mode().mode:sub(1, 1) ~= "c"
end

return M
