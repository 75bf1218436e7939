--- What pictures.sh takes a picture of, the scene $SCENE: an edit that is proposed, Claude's
--- terminal beside a file, what the server does, its health, a review of what was written already.

local scene = vim.env.SCENE
local layout = scene:match("^diff%-(%w+)$")

vim.o.termguicolors, vim.o.background, vim.o.number, vim.o.tabstop = true, "dark", true, 4
vim.opt.shortmess:append("F")

local function propose()
  local path = vim.api.nvim_buf_get_name(0)
  require("claudecode.diff").propose({
    tab_name = "[Claude Code] lock.go (e02839)",
    old_path = path,
    new_path = path,
    text = table.concat(vim.fn.readfile(vim.env.PROPOSAL, "b"), "\n"),
  }, function() end)
end

--- Opens Claude's terminal, and goes on once that Claude was told of the file.
---@param args string
---@param next? fun()
local function with_claude(args, next)
  vim.schedule(function()
    require("claudecode.terminal").toggle_open_no_focus({}, args)
    vim.defer_fn(next or function() end, 2000)
  end)
end

local scenes = {
  terminal = function()
    with_claude("", function()
      vim.cmd("normal! 6GV2j")
    end)
  end,
  status = function()
    vim.api.nvim_create_autocmd("User", {
      pattern = "ClaudeCodeDiffOpened",
      callback = function()
        vim.defer_fn(vim.cmd.ClaudeCodeStatus, 1000)
      end,
    })
    with_claude("lock.go")
  end,
  review = function()
    with_claude("lock.go", function()
      require("claudecode.terminal").simple_toggle()
      vim.cmd.ClaudeCodeReview()
    end)
  end,
  health = function()
    with_claude("", function()
      require("claudecode.terminal").simple_toggle()
      vim.cmd("checkhealth claudecode")
      vim.wo.number = false
    end)
  end,
}

vim.cmd.edit("lock.go")
require("claudecode").setup({
  auto_start = not layout,
  diff_opts = { layout = layout, focus = layout and true },
  terminal = { show_native_term_exit_tip = false },
})
if layout then
  propose()
else
  vim.o.laststatus, vim.o.showtabline = 3, 0
  vim.o.statusline = " Neovim %= %{v:lua.require'claudecode'.statusline()} "
  scenes[scene]()
end
