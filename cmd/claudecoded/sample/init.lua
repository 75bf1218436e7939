-- The demo's Neovim: the plugin as its user has it, and a linter of a few lines.

vim.opt.runtimepath:prepend(vim.env.DEMO_PLUGIN)
require("claudecode").setup({ daemon = { cmd = vim.env.DEMO_DAEMON } })

vim.diagnostic.config({ virtual_text = true })
local namespace = vim.api.nvim_create_namespace("sample.json")

--- Reports what Neovim's own JSON decoder says about the buffer as a diagnostic.
local function lint(args)
  local text = table.concat(vim.api.nvim_buf_get_lines(args.buf, 0, -1, false), "\n")
  local ok, err = pcall(vim.json.decode, text)
  local found = {}
  if not ok then
    local before = text:sub(1, (tonumber(err:match("at character (%d+)")) or 1) - 1)
    local _, lnum = before:gsub("\n", "")
    found[1] = {
      lnum = lnum,
      col = #before:match("[^\n]*$"),
      message = err,
      severity = vim.diagnostic.severity.ERROR,
      source = "json",
    }
  end
  vim.diagnostic.set(namespace, args.buf, found)
end

vim.api.nvim_create_autocmd({ "BufReadPost", "TextChanged", "InsertLeave" }, { pattern = "*.json", callback = lint })
