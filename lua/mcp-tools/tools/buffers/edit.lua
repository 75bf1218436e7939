--- buffers_edit: edits of one file, in one undo step.

local buffers = require("mcp-tools.buffers")
local files = require("mcp-tools.files")
local lines = require("mcp-tools.lines")
local match = require("mcp-tools.match")
local patch = require("mcp-tools.patch")
local paths = require("claudecode.paths")
local review = require("mcp-tools.review")
local slices = require("mcp-tools.slices")

local api = vim.api

--- Edits in one call, and how often they are looked for anew because the user types meanwhile.
local max_edits, max_tries = 1000, 20

local name = "buffers_edit"

--- The file that is edited.
---@return string? path
---@return string? err
local function target(args)
  local buf, err
  if args.path and args.path ~= "" then
    local path = files.absolute(args.path)
    buf = paths.find_buffer(path)
    if not buf then
      err = buffers.withheld_file(path)
      return not err and path or nil, err
    end
  else
    buf, err = buffers.find(args)
    if not buf then
      return nil, err
    end
  end
  err = buffers.withheld(buf)
  return not err and api.nvim_buf_get_name(buf) or nil, err
end

--- A buffer as a source.
---@return mcp_tools.Source
local function lines_of(buf)
  local count = api.nvim_buf_line_count(buf)
  local empty = count == 1 and require("claudecode.diff.text").read(buf) == ""
  return {
    count = empty and 0 or count,
    eol = empty or vim.bo[buf].endofline,
    get = function(first, last)
      return api.nvim_buf_get_lines(buf, first - 1, last, false)
    end,
  }
end

--- A text as a source.
---@param text mcp_tools.Text
---@return mcp_tools.Source
local function lines_in(text)
  local all = lines.reader(text)(1, lines.count(text))
  return {
    count = #all,
    eol = lines.has_end(text),
    get = function(first, last)
      return vim.list_slice(all, first, last)
    end,
  }
end

--- Edits the buffer, which the user does not review, and saves it.
---@return string? err
local function edit_now(path, asked, save)
  local base, err = files.base(path, "stamp")
  if not base then
    return err
  end
  local buf = files.load(name, path)
  err = files.locked(buf)
  if err then
    return ("%s: %s"):format(path, err)
  end
  for _ = 1, max_tries do
    local tick = api.nvim_buf_get_changedtick(buf)
    local source = lines_of(buf)
    local edits, wrong = match.find(source, asked)
    local replacements = edits and match.replacements(source, edits)
    if not api.nvim_buf_is_loaded(buf) then
      return path .. ": its buffer was closed meanwhile"
    elseif api.nvim_buf_get_changedtick(buf) == tick then
      if not replacements then
        return wrong
      end
      err = files.moved_on(base, "stamp")
      if err then
        return err
      end
      patch.lines(buf, replacements, source.count == 0)
      local last = replacements[#replacements]
      if last and last.eol ~= nil then
        vim.bo[buf].endofline = last.eol
      end
      return save and files.save(name, buf) or nil
    end
  end
  return path .. ": it changes all the time; nothing was edited"
end

--- Lets the user review the edits.
local function propose(cb, args, ctx, path)
  local base, err = files.base(path, "parts")
  if not base then
    return cb(nil, err)
  end
  local source = lines_in(base.parts)
  local edits, wrong = match.find(source, args.edits)
  if not edits then
    return cb(nil, wrong)
  end
  local text = lines.pack(match.compose(source, match.replacements(source, edits)))
  local change = { path = path, text = text, base = base.parts, save = args.save }
  review.propose({ change }, ctx, function(outcome, failed)
    if failed then
      return cb(nil, failed)
    end
    cb({ path = path, accepted = #outcome.accepted > 0, saved = #outcome.accepted > 0 and args.save })
  end, name)
end

local edit_properties = {
  old_text = { type = "string", description = "Exact text to replace, which is there once" },
  new_text = { type = "string", description = "What takes its place" },
  replace_all = { type = "boolean", description = "old_text may be there several times" },
  start_line = { type = "integer", description = "Instead of old_text: the first line to replace, from 1" },
  end_line = {
    type = "integer",
    description = "The last line to replace, by default start_line; start_line - 1 inserts before start_line",
  },
}

return {
  name = name,
  description = "Edit a file through its buffer, in one undo step: replace exact texts or lines. Every edit refers to"
    .. " the text as it is before the call. The user reviews the edit, unless the editor applies edits at once",
  input_schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "Path of the file, new or existing" },
      bufnr = { type = "integer", description = "Instead of path: the buffer. 0: the current one" },
      edits = {
        type = "array",
        minItems = 1,
        maxItems = max_edits,
        items = { type = "object", properties = edit_properties, required = { "new_text" } },
      },
      save = { type = "boolean", description = "Save the file too", default = true },
    },
    required = { "edits" },
  },
  annotations = { title = "Edit a file", readOnlyHint = false, destructiveHint = true },
  timeout = 0,
  execute = function(cb, args, ctx)
    args.save = args.save ~= false
    if type(args.edits) ~= "table" or #args.edits == 0 or #args.edits > max_edits then
      return cb(nil, ("edits must be a list of 1 to %d edits"):format(max_edits))
    end
    local path, err = target(args)
    if not path then
      return cb(nil, err)
    end
    slices.run(function()
      if not review.is_direct(ctx) then
        return propose(cb, args, ctx, path)
      end
      local failed = edit_now(path, args.edits, args.save)
      cb(not failed and { path = path, accepted = true, saved = args.save } or nil, failed)
    end, function()
      return not ctx.cancelled()
    end, function(failed)
      cb(nil, failed)
    end)
  end,
}
