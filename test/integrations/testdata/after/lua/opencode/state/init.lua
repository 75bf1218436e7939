-- The state in slices: any name that is no slice is a value of the store, which may be written
-- only through a slice.

local store = require("opencode.state.store")

return setmetatable({
  store = store,
  jobs = {
    set_server = function(server)
      store.set("opencode_server", server)
    end,
  },
}, {
  __index = function(_, key)
    return store.get(key)
  end,
  __newindex = function(_, key)
    error("no direct write to " .. key)
  end,
})
