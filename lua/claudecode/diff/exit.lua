--- How the cursor left a proposal whose window was closed under it.

local M = {}

local api, fn = vim.api, vim.fn

local group = api.nvim_create_augroup("ClaudeCodeMCPDiff", { clear = false })

---@class (exact) claudecode.Exit
---@field previous fun(): integer? Once its last window was closed and until the user goes on: the window in which the
--- cursor was before that one, 0 if there is none in its tab page
---@field stop fun()

--- Notices how the cursor leaves a buffer. Of any window that closes, Neovim says first that it is
--- left, while the one before it is still known, and at last which one is entered; the last window
--- of a tab page is not the current one any more when it is closed.
---@param buf integer
---@return claudecode.Exit
function M.watch(buf)
  local left, previous, closed, landed ---@type integer?, integer?, boolean?, integer?
  local autocmds = {}
  local function on(event, callback)
    table.insert(autocmds, api.nvim_create_autocmd(event, { group = group, callback = callback }))
  end

  on("WinLeave", function()
    left, previous, closed, landed = nil, nil, nil, nil
    if api.nvim_get_current_buf() == buf then
      left, previous = api.nvim_get_current_win(), fn.win_getid(fn.winnr("#"))
    end
  end)
  on("WinClosed", function(event)
    closed = closed or tonumber(event.match) == left
  end)
  on("WinEnter", function()
    landed = api.nvim_get_current_win()
  end)

  return {
    previous = function()
      local over = closed and #fn.win_findbuf(buf) == 0
      return over and landed == api.nvim_get_current_win() and previous or nil
    end,
    stop = function()
      vim.iter(autocmds):each(api.nvim_del_autocmd)
      autocmds = {}
    end,
  }
end

return M
