--- Messages that are run as if a client had sent them. The daemon answers its clients by itself.

local dispatch = require("claudecode.server.dispatch")
local server = require("claudecode.server")

local M = {}

---@param client string|integer|{ id: string }
---@param text string
function M.message(client, text)
  dispatch.message(server, client, text)
end

---@param client string|integer|{ id: string }
---@param request { id: any, method: string, params?: table }
function M.request(client, request)
  dispatch.request(server, client, request)
end

---@param client string|integer|{ id: string }
---@param notification { method: string, params?: table }
function M.notification(client, notification)
  dispatch.notification(server, client, notification)
end

---@param info { client: any, id: any, coroutine: thread, task_id?: string }
function M.defer(info)
  dispatch.defer(info, function(result, err)
    server.send_response(info.client, info.id, result, err)
  end)
end

return M
