--- Which turn is meant.

local ask = require("claudecode.turns.ask")

local M = {}

---@class (exact) claudecode.TurnEntry
---@field turn integer
---@field client integer
---@field name string What the client calls itself, may be empty
---@field began_unix_ms integer
---@field open boolean
---@field files integer
---@field added integer
---@field removed integer

---@class (exact) claudecode.Turn
---@field turn integer
---@field client integer
---@field name string
---@field began_unix_ms integer
---@field open boolean
---@field files claudecode.TurnFile[]
---@field more boolean Whether it changed more files than are known
---@field unseen boolean Whether it is not known of all files what commands changed
---@field daemon? integer Which one knows it

local nothing = "Claude has changed no file, as far as is known"

--- Goes through the turns that changed something, newest first, until one is taken. What an open one
--- changed is known only once it is asked for: shell commands tell nothing.
---@param takes fun(turn: claudecode.Turn): any? A result that ends the search
---@param callback fun(found: any, err: string?)
local function search(takes, callback)
  ask.ask("turns", {}, function(entries, err)
    if not entries then
      return callback(nil, err)
    end
    local function try(i)
      local entry = entries[i]
      if not entry then
        return callback(nil)
      elseif entry.files == 0 and not entry.open then
        return try(i + 1)
      end
      ask.turn(entry.turn, true, function(turn, failure)
        local found = turn and #turn.files > 0 and takes(turn)
        if not turn or found then
          return callback(found, failure)
        end
        try(i + 1)
      end)
    end
    try(1)
  end)
end

--- Finds the n-th last turn that changed something.
---@param n integer From 1
---@param callback fun(turn: claudecode.Turn?, err: string?)
function M.nth(n, callback)
  local count = 0
  search(function(turn)
    count = count + 1
    return count == n and turn
  end, function(turn, err)
    if not turn and not err then
      err = count == 0 and nothing or ("only %d of Claude's prompts changed files"):format(count)
    end
    callback(turn or nil, err)
  end)
end

---@param turn claudecode.Turn
---@param path string Absolute
---@return claudecode.TurnFile?
function M.file(turn, path)
  local real = vim.uv.fs_realpath(path)
  return vim.iter(turn.files):find(function(file)
    return file.path == path or real ~= nil and vim.uv.fs_realpath(file.path) == real
  end)
end

--- Finds the last turn that changed a file.
---@param path string Absolute
---@param callback fun(turn: claudecode.Turn?, file: claudecode.TurnFile|string|nil) The file, or what is wrong
function M.of_file(path, callback)
  search(function(turn)
    local file = M.file(turn, path)
    return file and { turn, file }
  end, function(found, err)
    if not found then
      local name = vim.fn.fnamemodify(path, ":~:.")
      return callback(nil, err or ("Claude has not changed %s, as far as is known"):format(name))
    end
    callback(found[1], found[2])
  end)
end

return M
