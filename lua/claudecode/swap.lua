--- Swap files: whoever opens a file here must not be stopped by the dialog about one.

local log = require("claudecode.log")

local M = {}

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
        log.warn(who, ("a swap file exists for %s, see :help recovery"):format(event.file))
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

return M
