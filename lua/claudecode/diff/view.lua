--- What a diff shows: its layout in its place, the terminal beside it, and what the user can do
--- there. All of it is undone together.

local cleanup = require("claudecode.cleanup")
local exit = require("claudecode.diff.exit")
local terminal = require("claudecode.diff.terminal")

local M = {}

local api = vim.api

local layouts = {
  vertical = "claudecode.diff.native",
  horizontal = "claudecode.diff.native",
  unified = "claudecode.diff.unified",
}

--- Marks the diff's windows, which nobody else may take.
---@param layout claudecode.Layout
---@param name? string
local function mark(layout, name)
  for _, win in ipairs(layout.wins) do
    if api.nvim_win_is_valid(win) then
      vim.w[win].claudecode_diff = name
    end
  end
end

--- The buffers of both sides.
---@param layout claudecode.Layout
local function buffers(layout)
  local other = layout.target and api.nvim_win_get_buf(layout.target)
  return other and other ~= layout.buf and { layout.buf, other } or { layout.buf }
end

---@param diff claudecode.Diff
---@param options claudecode.DiffOptions
---@param decisions claudecode.Decisions
local function show(diff, options, decisions)
  local place = require("claudecode.diff.place").choose(diff.proposal.old_path, options)
  diff.place = place
  table.insert(diff.undo, function()
    place:close()
  end)
  local beside = terminal.find(place, options)
  diff.terminal = beside
  table.insert(diff.undo, function()
    terminal.restore(beside, options)
  end)
  local layout = require(layouts[options.layout]).open(diff.proposal, options, place, diff.draft)
  diff.layout = layout
  table.insert(diff.undo, layout.close)
  terminal.resize(beside, place, options)
  mark(layout, diff.proposal.tab_name)
  table.insert(diff.undo, function()
    mark(layout, nil)
  end)
  diff.exit = exit.watch(layout.buf)
  table.insert(diff.undo, diff.exit.stop)
  table.insert(diff.undo, require("claudecode.diff.decide").watch(layout.buf, layout.win, decisions))
  if options.keymaps then
    table.insert(diff.undo, require("claudecode.diff.keymaps").add(buffers(layout)))
  end
  terminal.focus(beside, place, layout, options)
end

---@return boolean ok
---@return string? err
local function try(diff, options, decisions)
  local ok, err = pcall(cleanup.guard, diff.undo, function()
    show(diff, options, decisions)
  end)
  diff.layout = ok and diff.layout or nil
  return ok, err
end

--- Opens a diff's windows, in a tab page of their own if there is no room; raises after undoing
--- all of it.
---@param diff claudecode.Diff
---@param decisions claudecode.Decisions
function M.open(diff, decisions)
  local ok, err = try(diff, diff.options, decisions)
  if not ok and not diff.options.open_in_new_tab and tostring(err):find("E36", 1, true) then
    local roomy = vim.tbl_extend("force", diff.options, { open_in_new_tab = true })
    ok, err = try(diff, roomy, decisions)
  end
  if not ok then
    error(err, 0)
  end
end

--- Whether the cursor is in one of the diff's windows.
---@param diff claudecode.Diff
---@return boolean
function M.is_inside(diff)
  local current = api.nvim_get_current_win()
  return vim.list_contains(diff.layout.wins, current) or api.nvim_win_get_buf(current) == diff.layout.buf
end

--- Closes it all.
---@param diff claudecode.Diff
---@param by_user? boolean Whether it is a user in the diff who closes it
function M.close(diff, by_user)
  local previous = diff.exit.previous()
  local returns = by_user or previous or M.is_inside(diff)
  if previous then
    diff.place:return_to(previous)
  end
  cleanup.run(diff.undo)
  if returns then
    terminal.resume(diff.terminal)
  end
end

return M
