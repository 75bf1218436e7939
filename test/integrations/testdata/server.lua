-- What opencode.nvim's promises are to a caller: and_then() runs its callback later, once.

local Promise = {}
Promise.__index = Promise

function Promise.new()
  return setmetatable({ callbacks = {} }, Promise)
end

function Promise:resolve(value)
  self.resolved, self.value = true, value
  for _, callback in ipairs(self.callbacks) do
    vim.schedule(function()
      callback(value)
    end)
  end
  return self
end

function Promise:and_then(callback)
  if self.resolved then
    vim.schedule(function()
      callback(self.value)
    end)
  else
    table.insert(self.callbacks, callback)
  end
  return Promise.new()
end

-- An OpenCode that is started; serve(url) says where it listens.
local Server = {}
Server.__index = Server

function Server.new()
  return setmetatable({ spawn_promise = Promise.new() }, Server)
end

function Server:get_spawn_promise()
  return self.spawn_promise
end

function Server:serve(url)
  self.url = url
  self.spawn_promise:resolve(self)
  return self
end

return Server
