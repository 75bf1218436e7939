--- After an acceptance the client writes the file, when it likes. Its folder is watched, and once
--- it was written its buffers are read again.

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
  local event, timer, deadline = uv.new_fs_event(), uv.new_timer(), uv.new_timer()
  local watch = { path = path }
  local real = uv.fs_realpath(path) or path
  local look_soon = vim.schedule_wrap(function()
    if watch.stop then
      M.reload(path)
    end
  end)
  function watch.stop()
    watch.stop = nil
    for _, handle in ipairs({ event, timer, deadline }) do
      if handle and not handle:is_closing() then
        handle:close()
      end
    end
    watched = vim.tbl_filter(function(other)
      return other ~= watch
    end, watched)
  end
  table.insert(watched, watch)
  event:start(vim.fs.dirname(real), {}, function(_, name)
    if (not name or name == vim.fs.basename(real)) and not timer:is_closing() then
      timer:start(M.times.quiet, 0, look_soon)
    end
  end)
  -- Where no event comes, as on some network file systems.
  deadline:start(
    M.times.patience,
    0,
    vim.schedule_wrap(function()
      if watch.stop then
        M.reload(path)
        watch.stop()
      end
    end)
  )
end

return M
