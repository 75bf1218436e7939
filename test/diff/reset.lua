--- Makes the editor one that was just started, but for what the plugin has: one empty window, no
--- other buffer, no marks, registers or jumps, options as at the first call.

local api = vim.api

local function option_values(how)
  local values = {}
  for name in pairs(api.nvim_get_all_options_info()) do
    local known, value = pcall(api.nvim_get_option_value, name, how)
    if known then
      values[name] = value
    end
  end
  return values
end

vim.cmd("silent! stopinsert")
for _, win in ipairs(api.nvim_list_wins()) do
  if api.nvim_win_get_config(win).relative ~= "" then
    api.nvim_win_close(win, true)
  end
end
vim.cmd("silent! tabnew | silent! tabonly! | silent! only!")
vim.wo.winfixbuf = false
vim.cmd("silent! %bwipeout!")
vim.cmd("silent! %bwipeout!") -- the terminals that ended with the first

_G.first_options = _G.first_options or option_values({ scope = "global" })
for name, value in pairs(_G.first_options) do
  if not vim.deep_equal(api.nvim_get_option_value(name, { scope = "global" }), value) then
    api.nvim_set_option_value(name, value, { scope = "global" })
  end
end
vim.cmd("enew")
for name, info in pairs(api.nvim_get_all_options_info()) do
  if info.scope == "win" then
    api.nvim_set_option_value(name, _G.first_options[name], { scope = "local", win = 0 })
  end
end

for name in ('"-/abcdefghijklmnopqrstuvwxyz0123456789'):gmatch(".") do
  vim.fn.setreg(name, {})
end
vim.cmd("silent! delmarks A-Z0-9 | clearjumps | silent! delmarks!")
vim.fn.setqflist({}, "f")
vim.cmd("messages clear")
vim.v.errmsg = ""
