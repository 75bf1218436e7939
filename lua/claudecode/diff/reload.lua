--- After an acceptance the client writes the file, when it likes. Its folder is watched, and once
--- it was written its buffers are read again.

local clock = require("claudecode.clock")
local disk = require("claudecode.disk")
local paths = require("claudecode.paths")

local M = {}

local uv = vim.uv

--- How long a write is awaited, and after a change how long no other must come: a write in place
--- empties the file first.
M.times = { patience = 30000, quiet = 50 }

--- Files that are watched at once.
M.max_watched = 64

---@class claudecode.Watch
---@field path string
---@field stop fun()

local watched = {} ---@type claudecode.Watch[] oldest first

--- Reads a file's buffer again, if it has nothing unsaved and is older than the file. Cursors,
--- views, folds and undo history stay, as with |:checktime|.
---@param path string Absolute
---@return boolean reloaded
function M.reload(path)
  local buf = paths.find_buffer(path)
  if not buf then
    return false
  end
  local tick = vim.b[buf].changedtick
  disk.reload(buf)
  return vim.b[buf].changedtick ~= tick
end

--- Reloads the file's buffers once it is written.
---@param path string Absolute
function M.watch(path)
  for _, watch in ipairs(vim.list_slice(watched)) do
    if watch.path == path then
      watch.stop()
    end
  end
  if #watched >= M.max_watched then
    watched[1].stop()
  end
  local watch, event = { path = path }, assert(uv.new_fs_event())
  local real = uv.fs_realpath(path) or path
  local settled = clock.one_shot(function()
    M.reload(path)
  end)
  -- Where no event comes, as on some network file systems.
  local cancel = clock.after(M.times.patience, function()
    M.reload(path)
    watch.stop()
  end)
  function watch.stop()
    if not event:is_closing() then
      event:close()
    end
    settled.stop()
    cancel()
    watched = vim.tbl_filter(function(other)
      return other ~= watch
    end, watched)
  end
  table.insert(watched, watch)
  event:start(vim.fs.dirname(real), {}, function(_, name)
    if not name or name == vim.fs.basename(real) then
      settled.start(M.times.quiet)
    end
  end)
end

return M
