--- Tools of the undo history: the tree, and checkpoints to which buffers go back.

local buffers = require("mcp-tools.buffers")
local checkpoints = require("mcp-tools.checkpoints")
local review = require("mcp-tools.review")
local slices = require("mcp-tools.slices")

local api = vim.api

--- Entries of a tree in one answer, those of its branches included.
local max_entries = 1000

--- The newest entries of a branch, as many as there is room for.
---@param left { [1]: integer }
local function newest(entries, left)
  local kept = {}
  for i = #entries, 1, -1 do
    if left[1] <= 0 then
      break
    end
    left[1] = left[1] - 1
    local entry = entries[i]
    local copy = vim.tbl_extend("force", entry, { alt = entry.alt and newest(entry.alt, left) or nil })
    table.insert(kept, 1, copy)
  end
  return kept
end

local tree = {
  name = "undo_tree",
  description = "The undo tree of a buffer, as undotree() gives it; of a long one the newest entries",
  args = buffers.args,
  annotations = { title = "Undo tree", readOnlyHint = true },
  execute = function(cb, args)
    local buf, err = buffers.find(args)
    if not buf then
      return cb(nil, err)
    end
    local found = vim.fn.undotree(buf)
    local left = { max_entries }
    local entries = newest(found.entries, left)
    cb({
      seq_cur = found.seq_cur,
      seq_last = found.seq_last,
      save_cur = found.save_cur,
      save_last = found.save_last,
      entries = entries,
      truncated = left[1] <= 0 and #entries < #found.entries or nil,
    })
  end,
}

local function is_file(buf)
  return vim.bo[buf].buftype == "" and api.nvim_buf_get_name(buf) ~= ""
end

--- What a checkpoint of everything is about.
local function all_files()
  return vim.tbl_filter(function(buf)
    return api.nvim_buf_is_loaded(buf) and vim.bo[buf].buflisted and is_file(buf)
  end, api.nvim_list_bufs())
end

---@return integer[]? bufs
---@return string? err
local function chosen(args)
  if not args.all then
    local buf, err = buffers.find(args)
    if buf and not is_file(buf) then
      return nil, ("Buffer %d is no file's"):format(buf)
    end
    return buf and { buf }, err
  end
  local bufs = all_files()
  if #bufs > checkpoints.max_buffers then
    return nil, ("There are %d buffers, and a checkpoint holds %d"):format(#bufs, checkpoints.max_buffers)
  end
  return bufs
end

local checkpoint = {
  name = "undo_checkpoint",
  description = "Remember the text of a buffer, or of all files that are open, under a name for undo_revert."
    .. " Nothing is written",
  args = vim.tbl_extend("error", buffers.args, {
    name = { type = "string", description = "Name of the checkpoint; one of that name is replaced", required = true },
    all = { type = "boolean", description = "Every loaded file instead of one buffer", default = false },
  }),
  paths = function(args)
    return args.all and require("mcp-tools.permissions.touches").every_buffer() or nil
  end,
  annotations = { title = "Make a checkpoint", readOnlyHint = true },
  execute = function(cb, args, ctx)
    local bufs, err = chosen(args)
    if not bufs then
      return cb(nil, err)
    end
    slices.run(function()
      local made, failed = checkpoints.make(args.name, bufs)
      if not made then
        return cb(nil, failed)
      end
      cb({
        name = made.name,
        buffers = vim.tbl_map(function(kept)
          return { bufnr = kept.buf, name = buffers.name(kept.buf), seq = kept.seq, modified = kept.modified }
        end, made.kept),
      })
    end, function()
      return not ctx.cancelled()
    end, function(failed)
      cb(nil, failed)
    end)
  end,
}

---@return string
local function unknown(name)
  local names = checkpoints.names()
  return ("There is no checkpoint %q%s"):format(name, #names > 0 and "; there are " .. table.concat(names, ", ") or "")
end

local revert = {
  name = "undo_revert",
  description = "Give buffers the text back that they had at a checkpoint, as one change that can itself be undone."
    .. " What was saved then is saved again. The user reviews it, unless the editor applies edits at once",
  args = {
    name = { type = "string", description = "Name of the checkpoint", required = true },
  },
  paths = function(args)
    local found = checkpoints.find(args.name)
    return vim.tbl_map(function(kept)
      return kept.path
    end, found and found.kept or {})
  end,
  annotations = { title = "Go back to a checkpoint", readOnlyHint = false, destructiveHint = true },
  timeout = 0,
  execute = function(cb, args, ctx)
    local found = checkpoints.find(args.name)
    if not found then
      return cb(nil, unknown(args.name))
    end
    local changes = vim.tbl_map(function(kept)
      return { path = kept.path, text = kept.parts, save = not kept.modified }
    end, found.kept)
    review.propose(changes, ctx, function(outcome, err)
      if err then
        return cb(nil, err)
      end
      cb({ reverted = outcome.accepted, rejected = outcome.rejected })
    end, "undo_revert")
  end,
}

return { tree, checkpoint, revert }
