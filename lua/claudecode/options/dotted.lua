--- Values by dotted paths, for example "diff_opts.layout".

local M = {}

--- The path of the table in which a path leads to a value, and the value's name there.
---@param path string
---@return string parent Empty for the options themselves
---@return string name
function M.split(path)
  local parent, name = path:match("^(.*)%.(.*)$")
  return parent or "", name or path
end

---@param options any
---@param path string Empty for the options themselves
---@return any value nil if a part of the path is missing
function M.get(options, path)
  for name in path:gmatch("[^.]+") do
    if type(options) ~= "table" then
      return nil
    end
    options = options[name]
  end
  return options
end

--- Sets a value in a table that is there.
---@param options table
---@param path string
---@param value any
function M.set(options, path, value)
  local parent, name = M.split(path)
  M.get(options, parent)[name] = value
end

return M
