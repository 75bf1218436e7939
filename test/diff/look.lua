--- All of the editor that a diff must leave as it was: names and their values, so that two looks
--- can be compared line by line. Returns them as one string, for a look is taken thousands of times:
--- each name and its value end with a control character.

local api, fn = vim.api, vim.fn
local seen = {}
local current_mode, current = api.nvim_get_mode().mode, api.nvim_get_current_win()

local function note(name, value)
  seen[name] = type(value) == "string" and value or vim.inspect(value, { newline = " ", indent = "" })
end

--- The names of the options of each scope, which take longer to list than to read.
_G.options_of = _G.options_of
  or vim.iter(api.nvim_get_all_options_info()):fold({}, function(scopes, name, info)
    scopes[info.scope] = scopes[info.scope] or {}
    table.insert(scopes[info.scope], name)
    return scopes
  end)

local function options(name, scopes, how)
  for _, scope in ipairs(scopes) do
    for _, option in ipairs(_G.options_of[scope]) do
      local known, value = pcall(api.nvim_get_option_value, option, how)
      seen[name .. " option " .. option] = known and ("{ %s }"):format(value) or "{}"
    end
  end
end

--- Without what Neovim itself, its matchparen and its netrw keep there.
local function variables(vars)
  vars.changedtick, vars.matchparen_ids, vars.netrw_prvfile = nil, nil, nil
  return vars
end

local function buffer(buf)
  local name = "buffer " .. buf
  note(name, api.nvim_buf_get_name(buf))
  note(name .. " loaded", api.nvim_buf_is_loaded(buf))
  note(name .. " listed", vim.bo[buf].buflisted)
  if not api.nvim_buf_is_loaded(buf) then
    return -- its options and variables are set when it is loaded, whatever they are now
  end
  note(name .. " variables", variables(fn.getbufvar(buf, "")))
  options(name, { "buf" }, { buf = buf })
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n")
  -- A terminal has as many lines as its window, which is smaller while there are tab pages.
  note(name .. " text", vim.bo[buf].buftype == "terminal" and text:gsub("%s+$", "") or text)
  note(name .. " undo", fn.undotree(buf).seq_cur)
  local marks = { [true] = {}, [false] = {} }
  for _, mark in ipairs(fn.getmarklist(buf)) do
    -- That of the last jump is one of each window.
    if mark.mark ~= "''" then
      table.insert(marks[mark.mark:find("%l") ~= nil], mark)
    end
  end
  note(name .. " marks", marks[true])
  note(name .. " marks of changes", marks[false])
  note(name .. " changes", fn.getchangelist(buf)[1])
  note(name .. " extmarks", api.nvim_buf_get_extmarks(buf, -1, 0, -1, {}))
  for _, mode in ipairs({ "n", "v", "i", "o", "c" }) do
    for _, map in ipairs(api.nvim_buf_get_keymap(buf, mode)) do
      map.lnum, map.sid, map.scriptversion = nil, nil, nil -- where it was defined, which mapset() forgets
      note(("%s map %s %s"):format(name, mode, map.lhs), map)
    end
  end
end

--- Neovim drops the last jump of a buffer's window when it looks at it from there and the cursor
--- is in its line, where a diff may have it for a while. From another buffer's it does not.
local function jumps(name, win, tab)
  local buf = api.nvim_win_get_buf(win)
  local elsewhere = vim.iter(api.nvim_list_wins()):find(function(other)
    return api.nvim_win_get_buf(other) ~= buf
  end)
  local list, at = unpack(api.nvim_win_call(elsewhere or win, function()
    return fn.getjumplist(win, tab)
  end))
  local last = list[#list]
  if at == #list and last and last.bufnr == buf and last.lnum == api.nvim_win_get_cursor(win)[1] then
    list[#list], at = nil, at - 1
  end
  note(name .. " jumps", { list, at })
end

local function window(win, tab)
  local name = "window " .. win
  note(name .. " page", tab)
  note(name .. " buffer", api.nvim_win_get_buf(win))
  note(name .. " size", { api.nvim_win_get_width(win), api.nvim_win_get_height(win) })
  note(name .. " place", api.nvim_win_get_position(win))
  note(name .. " type", fn.win_gettype(win))
  note(name .. " variables", variables(fn.gettabwinvar(api.nvim_tabpage_get_number(tab), win, "")))
  local cursor = api.nvim_win_get_cursor(win)
  -- While one types in a terminal, Neovim has the cursor in the terminal's line, or in the last one
  -- from when it draws the terminal until its main loop's next turn.
  local lnum = current_mode == "t" and win == current and "of the terminal" or cursor[1]
  note(name .. " cursor", { lnum, cursor[2] })
  options(name, { "win" }, { win = win, scope = "local" })
  jumps(name, win, api.nvim_tabpage_get_number(tab))
  api.nvim_win_call(win, function()
    note(name .. " view", vim.tbl_extend("force", fn.winsaveview(), { lnum = lnum }))
    note(name .. " alternate", fn.bufnr("#"))
    note(name .. " context mark", fn.getpos("''"))
    local folds = {}
    for line = 1, fn.line("$") do
      if fn.foldclosed(line) > 0 then
        folds[#folds + 1] = line
      end
    end
    note(name .. " closed folds", folds)
  end)
end

local function page(tab)
  local name = "tab page " .. tab
  local number = api.nvim_tabpage_get_number(tab)
  note(name .. " layout", fn.winlayout(number))
  note(name .. " window", api.nvim_tabpage_get_win(tab))
  note(name .. " previous window", fn.win_getid(fn.tabpagewinnr(number, "#"), number))
  note(name .. " variables", fn.gettabvar(number, ""))
end

local function registers()
  local names = '"-/0123456789abcdefghijklmnopqrstuvwxyz'
  for name in names:gmatch(".") do
    note("register " .. name, fn.getreginfo(name))
  end
end

--- All but Neovim's own, some of which it defines when it first needs them (its matchparen waits
--- once for SafeState), and those of the plugin's server, which come and go with its clients.
local function autocommands()
  local found = {}
  for _, autocmd in ipairs(api.nvim_get_autocmds({})) do
    local group = autocmd.group_name or "none"
    local ours = vim.startswith(group, "ClaudeCode")
    local diffs = ours and group:find("Diff", 1, true)
    local nvims = vim.startswith(group, "nvim.") or vim.startswith(group, "Diagnostic") or autocmd.event == "SafeState"
    if diffs or not (ours or nvims) then
      table.insert(found, ("%s %s %s %s"):format(group, autocmd.event, autocmd.pattern, autocmd.desc or ""))
    end
  end
  table.sort(found)
  note("autocommands", table.concat(found, "\n"))
end

--- What the user was told that looks like an error.
local function errors()
  local found = {}
  for line in fn.execute("messages"):gmatch("[^\n]+") do
    if line:find("E%d+:") or line:find("[Ee]rror") or line:find("traceback") then
      found[#found + 1] = line
    end
  end
  note("errors", table.concat(found, "\n"))
  note("error message", vim.v.errmsg)
end

note("mode", current_mode)
note("window", current)
note("tab page", api.nvim_get_current_tabpage())
note("tab pages", api.nvim_list_tabpages())
note("previous tab page", api.nvim_list_tabpages()[fn.tabpagenr("#")] or 0)
note("global marks", fn.getmarklist())
note("interfaces", #api.nvim_list_uis())
options("global", { "global", "win", "buf" }, { scope = "global" })
seen["global option syntax"] = nil -- set by Neovim's own FileType autocommand, for any buffer
registers()
autocommands()
errors()
vim.iter(api.nvim_list_tabpages()):each(page)
vim.iter(api.nvim_list_bufs()):each(buffer)
for _, win in ipairs(api.nvim_list_wins()) do
  window(win, api.nvim_win_get_tabpage(win))
end
local text = {}
for name, value in pairs(seen) do
  table.insert(text, name .. "\31" .. value .. "\30")
end
return table.concat(text)
