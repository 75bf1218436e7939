--- A daemon that was not launched here: it attached by itself, see PROTOCOL.md, `attached`.

local daemon = require("claudecode.daemon")
local server = require("claudecode.server")

local M = {}

---@param hello { channel: integer, protocol: integer, version: string }
function M.begin(hello)
  if not daemon.current() and server.state.server then
    error("this Neovim's claudecoded is being started again", 0)
  end
  local answer = daemon.attach(hello.channel, hello.protocol, function(err, ready)
    if ready then
      server.events.on_ready(ready)
    else
      server.events.on_over(err)
    end
  end, function()
    server.events.on_over()
  end)
  server.begin()
  return answer
end

return M
