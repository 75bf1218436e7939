--- By which names rules mean a tool.

local M = {}

--- What clients of the MCP endpoint see before the registered name.
M.prefix = "nvim_"

---@param registered string
---@return string[]
function M.of(registered)
  return { registered, M.prefix .. registered }
end

--- Whether a rule's pattern for tools matches a name; `*` is any text.
---@param pattern string
---@param name string
function M.matches(pattern, name)
  return name:find("^" .. vim.pesc(pattern):gsub("%%%*", ".*") .. "$") ~= nil
end

--- Whether a pattern is about a tool, under either name.
---@param pattern string
---@param registered string
function M.mean(pattern, registered)
  return vim.iter(M.of(registered)):any(function(name)
    return M.matches(pattern, name)
  end)
end

return M
