--- Buffers with much in them, and the tools that come along. Returned is a function: the longest time
--- for which the editor's loop did not look for input since the last call of it, in milliseconds of
--- the processor. Whatever the loop does between two looks counts, not only the tools.
local count, entries = 100000, 5000

require("mcp-tools.config").setup({ edits = "direct", permissions = { ["*"] = "allow" } })
for _, category in ipairs({ "buffers", "undo", "test" }) do
  for _, tool in ipairs(require("mcp-tools.tools." .. category)) do
    require("mcp-tools").register(tool)
  end
end

local lines, places = {}, {}
for i = 1, count do
  lines[i] = ("line %d of a file that is long, with an é"):format(i)
end
local path = vim.fn.getcwd() .. "/big.txt"
vim.fn.writefile(lines, path)
vim.cmd.edit(path)
local buf = vim.api.nvim_get_current_buf()
for i = 1, entries do
  places[i] = { bufnr = buf, lnum = i, col = 1, text = lines[i] }
end
vim.fn.setqflist(places)
vim.fn.setloclist(0, places)
-- The user is elsewhere, and changed the file a thousand times.
for i = 1, 1000 do
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
  vim.fn.setbufline(buf, 1, "change " .. i)
end
vim.cmd("silent write | enew")

local longest, looked = 0, os.clock()
local check, prepare = assert(vim.uv.new_check()), assert(vim.uv.new_prepare())
check:start(function()
  looked = os.clock()
end)
prepare:start(function()
  longest = math.max(longest, (os.clock() - looked) * 1e3)
  looked = os.clock()
end)

return function()
  local ms = longest
  longest = 0
  return ms
end
