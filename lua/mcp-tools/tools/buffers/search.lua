--- buffers_search: finds lines in the texts of loaded buffers, saved or not.

local buffers = require("mcp-tools.buffers")
local cut = require("mcp-tools.cut")
local slices = require("mcp-tools.slices")

local api = vim.api

--- Matches in one answer, lines read in one go, bytes of a line that are searched and that are shown, and
--- of the names and numbers of a match.
local max_matches, block, max_line_bytes, max_shown_bytes, overhead = 1000, 100, 64 * 1024, 300, 80

---@alias mcp_tools.Matcher fun(line: string): integer? Where a match begins, from 1

--- The engine that needs no more time the longer the pattern backtracks.
local automaton = "\\%#=2"

---@return mcp_tools.Matcher? matcher
---@return string? err
local function matcher(args)
  if args.pattern == "" then
    return nil, "pattern is empty"
  elseif not args.regex and not args.ignore_case then
    return function(line)
      return (line:find(args.pattern, 1, true))
    end
  end
  local pattern = args.regex and args.pattern or "\\V" .. vim.fn.escape(args.pattern, "\\")
  local ok, regex = pcall(vim.regex, automaton .. (args.ignore_case and "\\c" or "\\C") .. pattern)
  if not ok then
    return nil, "pattern: " .. require("claudecode.strict").reason(regex):gsub("^Vim:", "")
  end
  return function(line)
    local at = regex:match_str(line)
    return at and at + 1
  end
end

--- The buffers to search, and the names of those that are withheld.
local function candidates(args)
  if args.path or args.bufnr then
    local buf, err = buffers.readable(args)
    return buf and { buf }, {}, err
  end
  local open, withheld = {}, {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local level = api.nvim_buf_is_loaded(buf)
      and vim.bo[buf].buflisted
      and require("claudecode.selection.filter").of(buf)
    if level == "full" then
      table.insert(open, buf)
    elseif level == "path" then
      table.insert(withheld, buffers.name(buf))
    end
  end
  return open, withheld
end

--- Searches a buffer block by block. What is typed meanwhile may be missed, as with any search.
local function search(buf, find, add)
  local first = 0
  while api.nvim_buf_is_loaded(buf) and first < api.nvim_buf_line_count(buf) do
    for i, line in ipairs(api.nvim_buf_get_lines(buf, first, first + block, false)) do
      local column = find(cut.head(line, max_line_bytes))
      if column and not add(buf, first + i, column, line) then
        return
      end
    end
    first = first + block
    slices.pause()
  end
end

return {
  name = "buffers_search",
  description = "Search the loaded buffers, with their unsaved changes, for a text or a Vim regular expression",
  args = {
    pattern = { type = "string", description = "What to find, within one line", required = true },
    regex = { type = "boolean", description = "pattern is a Vim regular expression", default = false },
    ignore_case = { type = "boolean", description = "Upper and lower case are the same", default = false },
    bufnr = { type = "integer", description = "Search only this buffer" },
    path = { type = "string", description = "Search only the buffer of this file" },
    limit = {
      type = "integer",
      description = "Matches to return, at most " .. max_matches,
      default = 100,
      minimum = 1,
      maximum = max_matches,
    },
  },
  paths = require("mcp-tools.permissions.touches").named_or_every_buffer,
  annotations = { title = "Search buffers", readOnlyHint = true },
  execute = function(cb, args, ctx)
    local find, wrong = matcher(args)
    if not find then
      return cb(nil, wrong)
    end
    local open, withheld, err = candidates(args)
    if not open then
      return cb(nil, err)
    end
    local matches, more, bytes = {}, false, 0
    local limit = math.min(math.max(args.limit, 1), max_matches)
    local function add(buf, line, column, text)
      local match = {
        bufnr = buf,
        path = api.nvim_buf_get_name(buf),
        line = line,
        column = column,
        text = cut.marked(text, max_shown_bytes),
      }
      bytes = bytes + #match.path + #match.text + overhead
      more = #matches >= limit or bytes > cut.page
      if not more then
        table.insert(matches, match)
      end
      return not more
    end
    slices.run(function()
      for _, buf in ipairs(open) do
        search(buf, find, add)
        if more then
          break
        end
      end
      cb({
        matches = matches,
        truncated = more,
        searched_buffers = #open,
        withheld = #withheld > 0 and withheld or nil,
      })
    end, function()
      return not ctx.cancelled()
    end, function(failed)
      cb(nil, failed)
    end)
  end,
}
