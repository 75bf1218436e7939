-- The state as one module: subscribe() is its own, and the rest reads and writes values.

local values, listeners = {}, {}

local M = {}

function M.subscribe(key, callback)
  listeners[key] = listeners[key] or {}
  table.insert(listeners[key], callback)
end

return setmetatable(M, {
  __index = values,
  __newindex = function(_, key, value)
    local old = values[key]
    values[key] = value
    vim.schedule(function()
      for _, callback in ipairs(listeners[key] or {}) do
        callback(key, value, old)
      end
    end)
  end,
})
