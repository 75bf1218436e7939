--- How ages, sizes and what the daemon reports are put into words.

local M = {}

---@param one string
---@param many? string
function M.count(n, one, many)
  return ("%d %s"):format(n, n == 1 and one or many or one .. "s")
end

local units = { { 86400, "d" }, { 3600, "h" }, { 60, "min" } }

--- A span of time, rounded down to its largest unit.
---@param ms number
function M.span(ms)
  local seconds = math.max(0, math.floor(ms / 1000))
  for _, unit in ipairs(units) do
    if seconds >= unit[1] then
      return ("%d %s"):format(math.floor(seconds / unit[1]), unit[2])
    end
  end
  return seconds .. " s"
end

---@param n integer
function M.bytes(n)
  if n < 1024 then
    return n .. " B"
  elseif n < 1024 * 1024 then
    return ("%.1f KiB"):format(n / 1024)
  end
  return ("%.1f MiB"):format(n / 1024 / 1024)
end

--- One line of what somebody else wrote: a client names itself as it likes.
---@param text string
function M.plain(text)
  return (text:gsub("%c+", " "))
end

--- Puts rows into columns.
---@param rows string[][]
---@return string[]
function M.columns(rows)
  local widths = {} ---@type table<integer, integer>
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do
      widths[i] = math.max(widths[i] or 0, vim.api.nvim_strwidth(cell))
    end
  end
  return vim.tbl_map(function(row)
    local line = {}
    for i, cell in ipairs(row) do
      table.insert(line, cell .. (i < #row and (" "):rep(widths[i] - vim.api.nvim_strwidth(cell)) or ""))
    end
    return "  " .. table.concat(line, "  ")
  end, rows)
end

---@param client claudecode.ReportedClient
function M.client(client)
  local who = {}
  if client.name ~= "" then
    table.insert(who, vim.trim(M.plain(client.name .. " " .. client.version)))
  end
  if client.pid > 0 then
    table.insert(who, "pid " .. client.pid)
  end
  local named = #who > 0 and (" (%s)"):format(table.concat(who, ", ")) or ""
  local state = client.state == "connected" and "connected for " .. M.span(client.connected_ms) or client.state
  return ("client_%d%s: %s"):format(client.id, named, state)
end

--- How well a client reads and answers.
---@param client claudecode.ReportedClient
function M.pulse(client)
  -- Until its first answer, what counts is when it connected.
  local pong = client.pong_ms < client.connected_ms and ("last pong %s ago"):format(M.span(client.pong_ms))
  return ("%s, %s unsent"):format(pong or "no pong yet", M.bytes(client.unsent))
end

---@param guest claudecode.ReportedGuest
function M.guest(guest)
  local name = guest.name ~= "" and M.plain(guest.name) .. ", " or ""
  local heard = guest.age_ms > guest.heard_ms and (", last asked %s ago"):format(M.span(guest.heard_ms)) or ""
  return ("%s (%sMCP %s): for %s%s"):format(guest.id, name, guest.revision, M.span(guest.age_ms), heard)
end

---@param connections claudecode.ReportedConnection[]
function M.connections(connections)
  local busy, oldest = 0, 0
  for _, connection in ipairs(connections) do
    busy = busy + (connection.busy and 1 or 0)
    oldest = math.max(oldest, connection.age_ms)
  end
  return ("%s, %d busy, the oldest open for %s"):format(M.count(#connections, "HTTP connection"), busy, M.span(oldest))
end

---@param call claudecode.ReportedCall
function M.call(call)
  local why = call.waiting ~= "" and (" (%s)"):format(call.waiting) or ""
  return ("%s for %s%s"):format(call.tool, M.span(call.age_ms), why)
end

---@param upgrade claudecode.ReportedUpgrade
function M.upgrade(upgrade)
  local outcome = upgrade.accepted and "accepted" or "refused: " .. M.plain(upgrade.reason)
  return ("client_%d, %s ago: %s"):format(upgrade.client, M.span(upgrade.ago_ms), outcome)
end

return M
