--- quickfix_read, quickfix_set, loclist_read and loclist_set: lists of places. No window is opened,
--- closed or moved.

local cut = require("mcp-tools.cut")
local files = require("mcp-tools.files")
local filter = require("claudecode.selection.filter")
local slices = require("mcp-tools.slices")

local api, fn = vim.api, vim.fn

--- Entries in one answer and in one call, entries that are set in one go, bytes of an entry's text, and
--- of its names and numbers.
local max_read, max_set, block, max_text, overhead = 500, 10000, 50, 500, 120

--- A kind of list: how it is got and set. options is a window for location lists.
---@class (exact) mcp_tools.PlaceList
---@field args table<string, mcp_tools.Arg>
---@field get fun(win: integer, what: table): table
---@field set fun(win: integer, action: string, what: table)

local window = { type = "integer", description = "The window. 0: the current one", default = 0 }

---@type table<string, mcp_tools.PlaceList>
local kinds = {
  quickfix = {
    args = {},
    get = function(_, what)
      return fn.getqflist(what)
    end,
    set = function(_, action, what)
      fn.setqflist({}, action, what)
    end,
  },
  loclist = {
    args = { window = window },
    get = function(win, what)
      return fn.getloclist(win, what)
    end,
    set = function(win, action, what)
      fn.setloclist(win, {}, action, what)
    end,
  },
}

--- The window whose list is meant; the user may go to another one before it is read.
---@return integer? win
---@return string? err
local function window_of(args)
  local win = args.window or 0
  if win == 0 then
    return require("claudecode.current").win()
  elseif win == math.floor(win) and api.nvim_win_is_valid(win) then
    return win
  end
  return nil, ("There is no window %s"):format(tostring(win))
end

local gone = "The list is gone: it was replaced, or its window closed"

local function none_if(value, none)
  return value ~= none and value or nil
end

--- An entry as clients read it. Its text is a line of its file, mostly.
local function describe(entry)
  local is_file = entry.bufnr > 0
  local level = is_file and filter.of(entry.bufnr) or "full"
  local name = is_file and api.nvim_buf_get_name(entry.bufnr) or ""
  return {
    path = none_if(name, ""),
    line = none_if(entry.lnum, 0),
    column = none_if(entry.col, 0),
    end_line = none_if(entry.end_lnum, 0),
    end_column = none_if(entry.end_col, 0),
    type = none_if(vim.trim(entry.type), ""),
    text = level == "full" and cut.marked(entry.text, max_text) or nil,
    text_withheld = level ~= "full" or nil,
    valid = entry.valid == 1,
  }
end

--- The last entry of a list that an answer may have.
local function last_of(list, args)
  return math.min(list.size, args.start + math.min(args.limit, max_read) - 1)
end

--- The files whose lines an answer may have.
---@param kind mcp_tools.PlaceList
---@return string[]
local function files_of(kind, args)
  local win = window_of(args)
  local list = win and kind.get(win, { size = 1, id = 0 }) or { size = 0 }
  local found = {}
  for i = args.start, last_of(list, args) do
    local entry = kind.get(win, { id = list.id, idx = i, items = 0 }).items[1]
    if entry and entry.bufnr > 0 then
      found[api.nvim_buf_get_name(entry.bufnr)] = true
    end
  end
  return vim.tbl_keys(found)
end

---@param kind mcp_tools.PlaceList
local function read(kind, cb, args, ctx)
  local win, err = window_of(args)
  if not win then
    return cb(nil, err)
  end
  local list = kind.get(win, { title = 1, size = 1, idx = 0, nr = 0, id = 0 })
  local first, last = args.start, last_of(list, args)
  local items, bytes = {}, 0
  slices.run(function()
    for i = first, last do
      local entry = (kind.get(win, { id = list.id, idx = i, items = 0 }).items or {})[1]
      if not entry then
        return cb(nil, gone)
      end
      local item = describe(entry)
      bytes = bytes + #(item.path or "") + #(item.text or "") + overhead
      if bytes > cut.page then
        last = i - 1
        break
      end
      table.insert(items, item)
      slices.pause()
    end
    cb({
      title = list.title,
      nr = list.nr,
      size = list.size,
      current = list.idx,
      items = items,
      more = last < list.size and list.size - last or nil,
    })
  end, function()
    return not ctx.cancelled()
  end, function(failed)
    cb(nil, failed)
  end)
end

--- What is wrong with entries.
---@return string?
local function problem(items)
  if #items > max_set then
    return ("items must not be more than %d"):format(max_set)
  end
  for i, item in ipairs(items) do
    if item.path and (item.path == "" or item.path:find("\0", 1, true)) then
      return ("items[%d].path is no path"):format(i - 1)
    end
  end
end

--- An entry as Neovim takes it.
local function entry_of(item)
  return {
    filename = item.path and files.absolute(item.path) or nil,
    lnum = item.line,
    col = item.column,
    end_lnum = item.end_line,
    end_col = item.end_column,
    type = item.type,
    text = item.text,
  }
end

---@param kind mcp_tools.PlaceList
local function set(kind, cb, args, ctx)
  local win, err = window_of(args)
  err = err or problem(args.items)
  if not win or err then
    return cb(nil, err)
  end
  slices.run(function()
    if not args.append or (kind.get(win, { nr = "$" }).nr or 0) == 0 then
      kind.set(win, " ", { title = args.title, items = {} })
    end
    local id = kind.get(win, { id = 0 }).id
    for from = 1, #args.items, block do
      local part = vim.tbl_map(entry_of, vim.list_slice(args.items, from, from + block - 1))
      kind.set(win, "a", { id = id, items = part })
      slices.pause()
    end
    local made = kind.get(win, { id = id, size = 1, nr = 0 })
    if (made.nr or 0) == 0 then
      return cb(nil, gone)
    end
    cb({ size = made.size, nr = made.nr })
  end, function()
    return not ctx.cancelled()
  end, function(failed)
    cb(nil, failed)
  end)
end

local item_properties = {
  path = { type = "string", description = "Path of the file" },
  line = { type = "integer", description = "From 1" },
  column = { type = "integer", description = "In bytes, from 1" },
  end_line = { type = "integer" },
  end_column = { type = "integer" },
  type = { type = "string", description = "E, W, I or N: error, warning, information, note" },
  text = { type = "string" },
}

local tools = {}
for _, name in ipairs({ "quickfix", "loclist" }) do
  local kind, words = kinds[name], name == "quickfix" and "the quickfix list" or "a window's location list"
  table.insert(tools, {
    name = name .. "_read",
    description = ("Read %s: the places, their texts and which is the current one"):format(words),
    args = vim.tbl_extend("error", kind.args, {
      start = { type = "integer", description = "First entry, from 1", default = 1, minimum = 1 },
      limit = {
        type = "integer",
        description = "Entries to return, at most " .. max_read,
        default = 100,
        minimum = 1,
        maximum = max_read,
      },
    }),
    paths = function(args)
      return files_of(kind, args)
    end,
    annotations = { title = "Read " .. words, readOnlyHint = true },
    execute = function(cb, args, ctx)
      read(kind, cb, args, ctx)
    end,
  })
  table.insert(tools, {
    name = name .. "_set",
    description = ("Set %s. It becomes a new list; the user gets the one before back with :colder or :lolder"):format(
      words
    ),
    args = vim.tbl_extend("error", kind.args, {
      items = {
        type = "array",
        description = "The entries",
        items = { type = "object", properties = item_properties },
        required = true,
      },
      title = { type = "string", description = "Title of the list", default = "" },
      append = { type = "boolean", description = "Add to the current list instead", default = false },
    }),
    annotations = { title = "Set " .. words, readOnlyHint = false, destructiveHint = false },
    execute = function(cb, args, ctx)
      set(kind, cb, args, ctx)
    end,
  })
end

return tools
