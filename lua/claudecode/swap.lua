--- Swap files: whoever opens a file here must not be stopped by the dialog about one.

local log = require("claudecode.log")
local strict = require("claudecode.strict")

local M = {}

local function warn(who, file)
  log.warn(who, ("a swap file exists for %s, see :help recovery"):format(file))
end

--- Runs f with no dialog about a swap file: it would stop the editor until a key is pressed.
---@generic T
---@param who string Who is named in the warning
---@param f fun(): T
---@return T
function M.quietly(who, f)
  local autocmd = vim.api.nvim_create_autocmd("SwapExists", {
    callback = function(event)
      if vim.v.swapchoice == "" then
        vim.v.swapchoice = "e"
        warn(who, event.file)
      end
    end,
  })
  local ok, result = pcall(f)
  vim.api.nvim_del_autocmd(autocmd)
  if not ok then
    error(result, 0)
  end
  return result
end

--- Sets 'shortmess', which no autocommand is told of.
local function set_shortmess(value)
  vim.api.nvim_cmd({ cmd = "set", args = { "shortmess=" .. value }, mods = { noautocmd = true } }, {})
end

--- Loads a buffer; raises the errors of autocommands. |bufload()| asks nothing about a swap file, but
--- shows the text about one, and waits for a key.
---@param who string Who is named in the warning
---@param buf integer
function M.load(who, buf)
  local shortmess = vim.o.shortmess
  set_shortmess(shortmess .. "A")
  local ok, err = pcall(strict.call, vim.fn.bufload, buf)
  set_shortmess(shortmess)
  if not ok then
    error(err, 0)
  end
  local swapfile = vim.fn.swapname(buf)
  if swapfile ~= "" and not vim.endswith(swapfile, ".swp") then
    warn(who, vim.api.nvim_buf_get_name(buf))
  end
end

return M
