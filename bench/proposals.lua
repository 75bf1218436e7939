--- Proposals of texts for the buffer of families.lua, which has to run first, and what Neovim alone
--- needs for the same. Nothing is reviewed unless it is said.
local path = vim.fn.getcwd() .. "/big.txt"
local buf = vim.fn.bufnr(path)
_G.big, _G.outcome = buf, nil
local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
local count = #lines

local context = {
  cancelled = function()
    return false
  end,
  on_cancel = function() end,
}

local function done(result, err)
  _G.outcome = assert(result, err)
end

--- Calls a tool, unsaved or as it is.
function _G.tool(name, args, save)
  local tool = vim.iter(require("mcp-tools.tools.undo")):find(function(tool)
    return tool.name == name
  end)
  if save == false then
    require("mcp-tools.checkpoints").find(args.name).kept[1].modified = true
  end
  tool.execute(done, args, context)
end

--- Changes the buffer at both ends, as somebody would.
function _G.change()
  vim.fn.setbufline(buf, 2, "changed")
  vim.fn.setbufline(buf, count - 1, "changed")
end

--- The text with each so manieth line changed, made when nothing is measured.
local texts = {}
for _, n in ipairs({ 1, 10, 100 }) do
  local changed = {}
  for i, line in ipairs(lines) do
    changed[i] = i % n == 0 and line:gsub("line", "row") or line
  end
  texts[n] = table.concat(changed, "\n") .. "\n"
end

function _G.renamed(n)
  return texts[n]
end

function _G.propose(text, save)
  local changes = { { path = path, text = text, save = save } }
  require("mcp-tools.review").propose(changes, context, function(result, err)
    assert(not err and #result.accepted == 1, err)
    done(result)
  end)
end

--- What Neovim itself needs to set so many lines.
function _G.set_alone(n)
  for i = count, 1, -1 do
    if i % n == 0 then
      vim.api.nvim_buf_set_lines(buf, i - 1, i, true, { "set" })
    end
  end
end

--- What Neovim itself needs to set all lines at once: those of the texts before the steps.
function _G.set_all_alone()
  vim.api.nvim_buf_set_lines(buf, 0, -1, true, vim.api.nvim_buf_get_lines(buf, 0, -1, true))
end

local renamed = vim.api.nvim_create_buf(false, true)
vim.api.nvim_buf_set_lines(renamed, 0, -1, true, vim.split(texts[100], "\n"))

--- What Neovim itself needs to compare the buffer with that text, in two windows without folds.
function _G.diff_alone()
  vim.cmd("tab sbuffer " .. buf)
  vim.cmd("vertical sbuffer " .. renamed)
  vim.cmd("windo setlocal foldmethod=manual diff")
  vim.cmd("redraw | windo diffoff | tabclose")
end

function _G.review(text, layout)
  require("claudecode").state.config.diff_opts.layout = layout or "vertical"
  require("mcp-tools.config").setup({ edits = "review", permissions = { ["*"] = "allow" } })
  _G.propose(text, false)
end

function _G.diff_buffer()
  return vim.iter(vim.api.nvim_list_bufs()):find(function(other)
    return vim.b[other].claudecode_diff_tab_name ~= nil and #vim.fn.win_findbuf(other) > 0
  end)
end

function _G.accept()
  vim.api.nvim_set_current_win(vim.fn.win_findbuf(_G.diff_buffer())[1])
  vim.cmd("ClaudeCodeDiffAccept")
  require("mcp-tools.config").setup({ edits = "direct", permissions = { ["*"] = "allow" } })
end
