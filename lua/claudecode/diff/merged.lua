--- The buffer of the layout "unified" for long texts: compared and filled in slices, before anything of
--- it is shown. Of the old text it is known when that changed meanwhile; then all of it is done again,
--- at once.

local compare = require("mcp-tools.compare")
local draft = require("claudecode.diff.draft")
local hunks = require("claudecode.diff.hunks")
local lines = require("mcp-tools.lines")
local names = require("claudecode.diff.names")
local original = require("claudecode.diff.original")
local slices = require("mcp-tools.slices")
local text = require("claudecode.diff.text")
local unified = require("claudecode.diff.unified")

local M = {}

local api = vim.api

--- Lines that are worked on in one go.
local block = 200

---@param source string
---@return string[] lines With their ends
local function split(source)
  local all, at, n = {}, 1, 0
  while at <= #source do
    local last = source:find("\n", at, true) or #source
    n = n + 1
    all[n], at = source:sub(at, last), last + 1
    if n % block == 0 then
      slices.pause()
    end
  end
  return all
end

--- How a file is, but for its text.
---@param path string
---@return string
local function state_of(path)
  local found = original.find(path)
  if found.buf then
    local tick, eol = api.nvim_buf_get_changedtick(found.buf), vim.bo[found.buf].endofline
    return ("%d %d %s"):format(found.buf, tick, tostring(eol))
  end
  local stat = vim.uv.fs_stat(found.path)
  return stat and ("%d.%09d %d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or "new"
end

--- The text of a file, its unsaved changes included, without a byte order mark; nil if it changes all the
--- time. That of a file without a buffer is read to its end, as the buffer for that has to go.
---@param found claudecode.Original
---@return mcp_tools.Text?
local function read(found)
  if found.buf then
    return (lines.read(found.buf))
  elseif found.is_new then
    return {}
  end
  return slices.to_end(function()
    local buf, close = original.copy(found.path)
    local ok, parts = pcall(lines.read, buf)
    close()
    return ok and parts or error(parts or "it was closed while it was read", 0)
  end)
end

--- The lines of the old text, with the line ends of the proposal if its own are mixed.
---@param parts mcp_tools.Text
---@param has_crlf boolean
local function old_lines(parts, has_crlf)
  local all, n = {}, 0
  for _, part in ipairs(parts) do
    part = has_crlf and part or part:gsub("\r\n", "\n")
    for line in part:gmatch("[^\n]*\n?") do
      if line ~= "" then
        n = n + 1
        all[n] = line
      end
    end
    slices.pause()
  end
  return all
end

--- Lines as a text in parts.
local function pack(all, first, last)
  local parts = {}
  for at = first, last, block do
    parts[#parts + 1] = table.concat(all, "", at, math.min(at + block - 1, last))
    slices.pause()
  end
  return parts
end

--- How many lines two texts begin and end with alike, if all are too many to be compared.
local function alike(old, new)
  local most, head, tail = math.min(#old, #new), 0, 0
  if #old + #new <= hunks.max_lines then
    return 0, 0
  end
  while head < most and old[head + 1] == new[head + 1] do
    head = head + 1
    slices.pause()
  end
  while tail < most - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
    slices.pause()
  end
  return head, tail
end

---@return claudecode.Hunk[]
local function between(old, new)
  local head, tail = alike(old, new)
  local found = compare.indices(pack(old, head + 1, #old - tail), pack(new, head + 1, #new - tail))
  for i, indices in ipairs(found) do
    local old_first, old_count, new_first, new_count = unpack(indices)
    found[i] = {
      old_at = head + old_first - (old_count > 0 and 1 or 0),
      old_count = old_count,
      new_at = head + new_first - (new_count > 0 and 1 or 0),
      new_count = new_count,
    }
    slices.pause()
  end
  return found
end

--- Fills a new buffer as unified.draw() would.
---@param self claudecode.Unified
local function fill(self)
  vim.bo[self.buf].undolevels = -1
  local waiting, count = {}, 0
  local function put()
    unified.modify(self.buf, function()
      api.nvim_buf_set_lines(self.buf, count, -1, false, waiting)
    end)
    count, waiting = count + #waiting, {}
    slices.pause()
  end
  local function add(all, first, last)
    for i = first, last do
      waiting[#waiting + 1] = all[i]:gsub("\n$", "")
      if #waiting == block then
        put()
      end
    end
  end
  local at, changed = 0, 0
  for _, hunk in ipairs(self.hunks) do
    add(self.old, at + 1, hunk.old_at + hunk.old_count)
    add(self.new, hunk.new_at + 1, hunk.new_at + hunk.new_count)
    at, changed = hunk.old_at + hunk.old_count, changed + hunk.old_count + hunk.new_count
  end
  add(self.old, at + 1, #self.old)
  if #waiting > 0 or count == 0 then
    put()
  end
  self.row_marks = changed <= unified.max_line_marks
  hunks.each_row(self.hunks, function(hunk, row)
    unified.mark_hunk(self, hunk, row, slices.pause)
  end)
end

---@param proposal claudecode.Proposal
---@param buf integer
---@return claudecode.Unified?
local function make(proposal, buf)
  local found = original.find(proposal.old_path)
  local bom = vim.startswith(proposal.text, text.bom) and text.bom or ""
  local parts = read(found)
  if not parts then
    return nil
  end
  local old = old_lines(parts, proposal.text:find("\r\n", 1, true) ~= nil)
  local new = split(bom == "" and proposal.text or proposal.text:sub(#bom + 1))
  local self = { ---@type claudecode.Unified
    buf = buf,
    original = found.buf,
    bom = bom,
    old = old,
    new = new,
    hunks = between(old, new),
    row_marks = true,
  }
  fill(self)
  return self
end

--- Whether the file of a proposal is as it was when its buffer was made.
---@param self claudecode.Unified
---@param proposal claudecode.Proposal
---@return boolean
function M.holds(self, proposal)
  return api.nvim_buf_is_loaded(self.buf) and self.state == state_of(proposal.old_path)
end

--- Makes the buffer of a proposal, if that is long.
---@param diff claudecode.Diff That waits; it can be told to stop
---@param ready fun(made?: claudecode.Unified) Called at once, without one, for a short text
function M.prepare(diff, ready)
  local proposal = diff.proposal
  if #proposal.text < draft.min_bytes then
    return ready()
  end
  local buf, stopped = names.new_buffer(true), false
  function diff.stop_waiting()
    stopped = true
    draft.drop(buf)
  end
  local function wanted()
    return not stopped
  end
  local function give_up(err)
    require("claudecode.log").debug("diff", "The proposal is not prepared: " .. err)
    draft.drop(buf)
    ready()
  end
  slices.run(function()
    local state = state_of(proposal.old_path)
    local made = make(proposal, buf)
    if not made then
      return give_up("the text changes all the time")
    end
    made.state = state
    ready(made)
  end, wanted, give_up)
end

return M
