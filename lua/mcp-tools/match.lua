--- Where edits of a text are: by the exact text they replace, or by lines. Every position is that
--- in the text before any edit.

local slices = require("mcp-tools.slices")

local M = {}

--- Lines that are searched in one go.
M.block = 100

---@class (exact) mcp_tools.Source A text as lines
---@field count integer
---@field eol boolean Whether the last line has an end
---@field get fun(first: integer, last: integer): string[] Of lines from 1, the last included

---@class (exact) mcp_tools.Place A position: a line from 1 and bytes from 0. The end is behind the last line
---@field line integer
---@field byte integer

---@class (exact) mcp_tools.Asked An edit as a client writes it
---@field old_text? string
---@field new_text string
---@field replace_all? boolean
---@field start_line? integer
---@field end_line? integer

---@class (exact) mcp_tools.Edit
---@field first mcp_tools.Place
---@field last mcp_tools.Place What is replaced ends before it
---@field text string
---@field by_lines boolean
---@field index integer Which of those that were asked for

--- The text of lines with their ends.
local function text_of(source, first, last)
  local text = table.concat(source.get(first, last), "\n")
  return text .. ((last < source.count or source.eol) and "\n" or "")
end

--- Calls f with each place of a text, whose lines may not exceed a few blocks.
---@param source mcp_tools.Source
---@param wanted string
---@param f fun(first: mcp_tools.Place, last: mcp_tools.Place): boolean? false: no more
local function each(source, wanted, f)
  local more = select(2, wanted:gsub("\n", ""))
  local behind = { line = 1, byte = 0 } -- matches do not overlap
  for begin = 1, source.count, M.block do
    local finish = math.min(begin + M.block - 1, source.count)
    local text = text_of(source, begin, math.min(finish + more, source.count))
    local line, line_at, at = begin, 1, 1
    --- Goes to the line of a byte of the text.
    local function place(byte)
      local next_end = text:find("\n", line_at, true)
      while next_end and next_end < byte do
        line, line_at = line + 1, next_end + 1
        next_end = text:find("\n", line_at, true)
      end
      return { line = line, byte = byte - line_at }
    end
    while true do
      local from, to = text:find(wanted, at, true)
      if not from then
        break
      end
      local first = place(from)
      if first.line > finish then
        break
      end
      at = from + 1
      if first.line > behind.line or (first.line == behind.line and first.byte >= behind.byte) then
        behind = place(to + 1)
        at = to + 1
        if f(first, behind) == false then
          return
        end
      end
    end
    slices.pause()
  end
end

local function problem(index, text)
  return ("edits[%d]: %s"):format(index - 1, text)
end

--- Finds the exact text that an edit replaces.
---@return string? err
local function by_text(source, asked, index, add)
  if asked.old_text == "" then
    return problem(index, "old_text is empty; to insert, give start_line and end_line = start_line - 1")
  end
  local lines, count = {}, 0
  each(source, asked.old_text, function(first, last)
    count = count + 1
    lines[#lines + 1] = #lines < 5 and first.line or nil
    add(first, last)
  end)
  if count == 0 then
    return problem(index, "old_text is not in the text, which must be given exactly, with its blanks and line breaks")
  elseif count > 1 and not asked.replace_all then
    local where = table.concat(lines, ", ") .. (count > #lines and ", …" or "")
    local advice = "give more of its surroundings, or replace_all"
    return problem(index, ("old_text is there %d times (lines %s): %s"):format(count, where, advice))
  end
end

---@return string? err
local function by_lines(source, asked, index, add)
  local first, last = asked.start_line, asked.end_line or asked.start_line
  if first < 1 or first > source.count + 1 or last < first - 1 or last > source.count then
    local text = "the lines %d to %d are not in the text, which has %d lines"
    return problem(index, text:format(first, last, source.count))
  end
  add({ line = first, byte = 0 }, { line = last + 1, byte = 0 })
end

local function is_before(a, b)
  return a.line < b.line or (a.line == b.line and a.byte < b.byte)
end

--- Whether two edits that follow each other touch the same text, or insert at the same place. Lines
--- are replaced whole.
local function collide(a, b)
  local same = a.first.line == b.first.line and a.first.byte == b.first.byte
  local shared = a.by_lines ~= b.by_lines
    and b.first.line <= a.last.line
    and (a.last.byte > 0 or b.first.line < a.last.line)
  return is_before(b.first, a.last) or same or shared
end

--- Finds the places of edits. Runs in slices, in which the text must not change.
---@param source mcp_tools.Source
---@param asked mcp_tools.Asked[]
---@return mcp_tools.Edit[]? edits In the order of the text
---@return string? err
function M.find(source, asked)
  local edits = {} ---@type mcp_tools.Edit[]
  for index, one in ipairs(asked) do
    local by = one.old_text and by_text or one.start_line and by_lines
    if type(one.new_text) ~= "string" or not by or (one.old_text and one.start_line) then
      return nil, problem(index, "an edit has new_text, and either old_text or start_line")
    end
    local err = by(source, one, index, function(first, last)
      local is_by_lines = by == by_lines
      table.insert(edits, { first = first, last = last, text = one.new_text, by_lines = is_by_lines, index = index })
    end)
    if err then
      return nil, err
    end
  end
  table.sort(edits, function(a, b)
    return is_before(a.first, b.first) or (not is_before(b.first, a.first) and a.index < b.index)
  end)
  for i = 2, #edits do
    if collide(edits[i - 1], edits[i]) then
      return nil, problem(edits[i].index, ("it overlaps with edits[%d]"):format(edits[i - 1].index - 1))
    end
  end
  return edits
end

--- The lines of a text, and whether the last one has an end.
---@return string[] lines
---@return boolean eol
local function split(text)
  local eol = text == "" or text:sub(-1) == "\n"
  return text == "" and {} or vim.split(eol and text:sub(1, -2) or text, "\n", { plain = true }), eol
end

---@class (exact) mcp_tools.Replacement
---@field at integer How many lines precede it
---@field count integer
---@field lines string[]
---@field eol? boolean Of the last line of the text, where this is it

--- What edits by text that touch the same lines make of these.
---@param group mcp_tools.Edit[]
---@return mcp_tools.Replacement
local function of_texts(source, group)
  local first, last = group[1].first.line, math.min(group[#group].last.line, source.count)
  local lines = source.get(first, last)
  local whole = text_of(source, first, last)
  local starts, offset = {}, 0
  for i, line in ipairs(lines) do
    starts[first + i - 1] = offset
    offset = offset + #line + 1
  end
  local parts, at = {}, 0
  local function byte_of(place)
    return starts[place.line] and starts[place.line] + place.byte or #whole
  end
  for _, edit in ipairs(group) do
    parts[#parts + 1] = whole:sub(at + 1, byte_of(edit.first))
    parts[#parts + 1] = edit.text
    at = byte_of(edit.last)
  end
  parts[#parts + 1] = whole:sub(at + 1)
  local new, eol = split(table.concat(parts))
  local replacement = { at = first - 1, count = #lines, lines = new } ---@type mcp_tools.Replacement
  if last == source.count then
    replacement.eol = eol
  end
  return replacement
end

---@param edit mcp_tools.Edit
---@return mcp_tools.Replacement
local function of_lines(edit)
  return {
    at = edit.first.line - 1,
    count = edit.last.line - edit.first.line,
    lines = (split(edit.text)),
  }
end

--- The lines that edits replace, and with what.
---@param source mcp_tools.Source
---@param edits mcp_tools.Edit[] As find() found them
---@return mcp_tools.Replacement[] In order, none overlaps with another
function M.replacements(source, edits)
  local found, i = {}, 1
  while i <= #edits do
    local group = { edits[i] }
    while
      not group[1].by_lines
      and edits[i + 1]
      and not edits[i + 1].by_lines
      and edits[i + 1].first.line <= edits[i].last.line
    do
      i = i + 1
      group[#group + 1] = edits[i]
    end
    found[#found + 1] = group[1].by_lines and of_lines(group[1]) or of_texts(source, group)
    i = i + 1
    slices.pause()
  end
  return found
end

--- The text after replacements. Runs in slices.
---@param source mcp_tools.Source
---@param replacements mcp_tools.Replacement[]
---@return string[] lines
---@return boolean eol
function M.compose(source, replacements)
  local lines, at, eol = {}, 0, source.eol
  local function keep(last)
    for first = at + 1, last, M.block do
      vim.list_extend(lines, source.get(first, math.min(first + M.block - 1, last)))
      slices.pause()
    end
  end
  for _, r in ipairs(replacements) do
    keep(r.at)
    vim.list_extend(lines, r.lines)
    at = r.at + r.count
    if r.eol ~= nil then
      eol = r.eol
    end
  end
  keep(source.count)
  return lines, eol
end

return M
