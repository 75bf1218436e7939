--- The highlight groups of the layout "unified".

local M = {}

local api = vim.api

---@type table<string, vim.api.keyset.highlight>
local groups = {
  ClaudeCodeInlineDiffAdd = { bg = "#2a4a2a", ctermbg = 22 },
  ClaudeCodeInlineDiffDelete = { bg = "#4a2a2a", ctermbg = 52, strikethrough = true },
  ClaudeCodeInlineDiffAddSign = { fg = "#98c379", ctermfg = 2 },
  ClaudeCodeInlineDiffDeleteSign = { fg = "#e06c75", ctermfg = 1 },
}

--- Defines the groups that neither the user nor the colour scheme has defined.
local function define()
  for name, attributes in pairs(groups) do
    api.nvim_set_hl(0, name, vim.tbl_extend("error", { default = true }, attributes))
  end
end

--- Defines them now, and again after each colour scheme.
function M.define()
  define()
  api.nvim_create_autocmd("ColorScheme", {
    group = api.nvim_create_augroup("ClaudeCodeInlineDiff", {}),
    desc = "Colours of Claude's changes",
    callback = define,
  })
end

return M
