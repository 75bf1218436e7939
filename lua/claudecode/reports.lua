--- Waits for what language servers report on the text that buffers have now.

local servers = require("claudecode.language_servers")

local M = {}

local api = vim.api

--- Asks a server that reports on request, once for each text.
local function ask(report)
  local client, document, buf = report.client, report.document, report.buf
  if not document or document.asked then
    return
  end
  document.asked = true
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  local provider = client.server_capabilities.diagnosticProvider
  params.identifier = type(provider) == "table" and provider.identifier or nil
  servers.call(client, "request", servers.pull, params, function(err, result, ctx, config)
    if err then
      -- The server was busy with another text; whoever still waits asks again.
      document.asked = false
      vim.defer_fn(servers.tell_listeners, 50)
      return
    end
    local handle = client.handlers[servers.pull] or vim.lsp.handlers[servers.pull]
    handle(err, result, ctx, config)
    servers.take_report(client, document)
  end, buf)
end

--- Takes note of who has yet to report, and names one that was to and serves none of the buffers any more.
---@param owing table<integer, string> Names by client
---@return string? name
local function note_missing(owing, reports, bufs)
  for _, report in ipairs(reports) do
    owing[report.client.id] = report.client.name
  end
  local serving = {}
  for _, buf in ipairs(bufs) do
    for _, client in ipairs(api.nvim_buf_is_valid(buf) and servers.of(buf) or {}) do
      serving[client.id] = true
    end
  end
  for id, name in pairs(owing) do
    if not serving[id] then
      return name
    end
  end
end

--- Waits until the language servers have reported on the text that the buffers have now.
---@param bufs integer[]
---@param opts { changed_only: boolean, timeout_ms: integer, on_cancel: fun(f: fun()) }
---@param done fun(problem: string?) Called once, unless it is cancelled, with why there is no report
function M.wait(bufs, opts, done)
  local timer = assert(vim.uv.new_timer())
  local owing = {} ---@type table<integer, string> who had yet to report at some time
  local stop_listening
  local function stop()
    stop_listening()
    if not timer:is_closing() then
      timer:close()
    end
  end
  local function check(timed_out)
    if timer:is_closing() then
      return
    end
    local reports = servers.missing(bufs, opts.changed_only)
    local gone = note_missing(owing, reports, bufs)
    if gone then
      stop()
      return done(gone .. " left before it reported on the current text")
    elseif #reports == 0 then
      stop()
      return done()
    elseif timed_out then
      stop()
      return done(reports[1].client.name .. " has not reported on the current text yet")
    end
    for _, report in ipairs(reports) do
      if servers.reports_on_request(report.client) then
        ask(report)
      end
    end
  end
  stop_listening = servers.listen(check)
  opts.on_cancel(stop)
  timer:start(
    math.max(opts.timeout_ms, 0),
    0,
    vim.schedule_wrap(function()
      check(true)
    end)
  )
  check()
end

return M
