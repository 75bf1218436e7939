-- Where the values are, and who is told of them.

local values, listeners = {}, {}

local M = {}

function M.get(key)
  return values[key]
end

function M.set(key, value)
  local old = values[key]
  values[key] = value
  vim.schedule(function()
    for _, callback in ipairs(listeners[key] or {}) do
      callback(key, value, old)
    end
  end)
end

function M.subscribe(key, callback)
  listeners[key] = listeners[key] or {}
  table.insert(listeners[key], callback)
end

return M
