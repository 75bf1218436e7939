--- What |undo| leaves out: whether the last line has an end, and the byte order mark. They are options
--- of a buffer, which follow here where the user goes in its undo history.

local M = {}

local api = vim.api

--- Changes that are followed in a buffer; of more the oldest is not any longer.
M.max_followed = 100

---@class (exact) claudecode.Format
---@field endofline boolean
---@field bomb boolean

---@class (exact) claudecode.FollowedChange
---@field seq integer Its number in the undo history
---@field is_in boolean Whether it is in the text
---@field before claudecode.Format
---@field after claudecode.Format

---@class (exact) claudecode.Followed
---@field changes claudecode.FollowedChange[] In order
---@field at integer The last of them that is in the text, or 0

local followed = {} ---@type table<integer, claudecode.Followed>

local watching ---@type integer? The group of autocommands

---@param buf integer
---@return claudecode.Format
function M.format(buf)
  local bo = vim.bo[buf]
  return { endofline = bo.endofline, bomb = bo.bomb }
end

local function undotree(buf)
  return api.nvim_buf_call(buf, vim.fn.undotree)
end

--- Whether each change in a part of the history is in the text: those on the way to where the user is.
---@param entries table[]
---@param last? integer The last that may be; nil on another branch
---@param known table<integer, boolean> To which they are added
local function look(entries, last, known)
  for _, entry in ipairs(entries) do
    known[entry.seq] = last ~= nil and entry.seq <= last
    look(entry.alt or {}, nil, known)
  end
end

--- Finds the last change that is in the text. One that the history has forgotten, as 'undolevels' says,
--- can neither be undone nor done again: it is where it was.
---@param buf integer
---@param changes claudecode.FollowedChange[]
---@return integer at
local function locate(buf, changes)
  local tree, known, at = undotree(buf), {}, 0
  look(tree.entries, tree.seq_cur, known)
  for i, change in ipairs(changes) do
    if known[change.seq] ~= nil then
      change.is_in = known[change.seq]
    end
    at = change.is_in and i or at
  end
  return at
end

--- The user changed the text, or went elsewhere in its history.
local function on_change(event)
  local it = followed[event.buf]
  local at = it and locate(event.buf, it.changes)
  if not it or at == it.at then
    return
  end
  it.at = at
  local format = at == 0 and it.changes[1].before or it.changes[at].after
  vim.bo[event.buf].endofline, vim.bo[event.buf].bomb = format.endofline, format.bomb
end

--- The text is what was read, format and all.
local function on_read(event)
  local it = followed[event.buf]
  if it then
    it.at = locate(event.buf, it.changes)
  end
end

local function watch()
  if watching then
    return
  end
  watching = api.nvim_create_augroup("ClaudeCodeTurnFormat", {})
  local function on(events, callback)
    local desc = "Lets undo change a buffer's format"
    api.nvim_create_autocmd(events, { group = watching, desc = desc, callback = callback })
  end
  on({ "TextChanged", "TextChangedI", "BufWritePre" }, on_change)
  on({ "BufReadPost", "FileChangedShellPost" }, on_read)
  on({ "BufUnload", "BufWipeout" }, function(event)
    followed[event.buf] = nil
  end)
end

--- Follows the last change of a buffer, which changed its format too.
---@param buf integer
---@param before claudecode.Format
function M.change(buf, before)
  local after = M.format(buf)
  if vim.deep_equal(before, after) then
    return
  end
  watch()
  local it = followed[buf] or { changes = {}, at = 0 }
  followed[buf] = it
  table.insert(it.changes, { seq = undotree(buf).seq_cur, is_in = true, before = before, after = after })
  if #it.changes > M.max_followed then
    table.remove(it.changes, 1)
  end
  it.at = locate(buf, it.changes)
end

return M
