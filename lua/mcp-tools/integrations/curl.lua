--- One HTTP request with curl. What it sends goes through its standard input: its arguments are
--- there for everybody on the machine to read.

local M = {}

--- How long a request may take. Seconds.
local limit_s = 30

---@class (exact) mcp_tools.Response
---@field status integer
---@field body string

--- A value for curl's configuration file, in quotes.
---@param value string
---@return string
local function quoted(value)
  return '"' .. value:gsub('[\\"]', "\\%0"):gsub("\n", "\\n"):gsub("\r", "\\r") .. '"'
end

--- Posts JSON.
---@param url string
---@param headers table<string, string>
---@param body table
---@param done fun(err?: string, response?: mcp_tools.Response) Called once
function M.post(url, headers, body, done)
  local lines = {
    "url = " .. quoted(url),
    "header = " .. quoted("Content-Type: application/json"),
    "data-raw = " .. quoted(vim.json.encode(body)),
    "write-out = " .. quoted("\n%{http_code}"),
  }
  for name, value in vim.spairs(headers) do
    table.insert(lines, "header = " .. quoted(("%s: %s"):format(name, value)))
  end
  local argv = { "curl", "-q", "-sS", "--noproxy", "*", "--max-time", tostring(limit_s), "--config", "-" }
  local ok, err = pcall(vim.system, argv, { stdin = lines, text = true }, function(result)
    vim.schedule(function()
      local text, status = (result.stdout or ""):match("^(.*)\n(%d+)$")
      if result.code ~= 0 or not status then
        return done(vim.trim(result.stderr or ""))
      end
      done(nil, { status = tonumber(status), body = text })
    end)
  end)
  if not ok then
    done(require("claudecode.strict").reason(err))
  end
end

return M
