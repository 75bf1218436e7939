--- JSON text. The encoder of Neovim 0.10 rounds integers to 14 digits, and the order of its
--- names changes from run to run.

local M = {}

--- From here on a float may be no integer any more.
local max_integer = 2 ^ 53

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function quoted(text)
  return '"'
    .. text:gsub('[%z\1-\31"\\]', function(char)
      return escapes[char] or ("\\u%04x"):format(char:byte())
    end)
    .. '"'
end

--- The shortest form that reads as the same number.
local function number(value)
  if value == math.floor(value) and math.abs(value) < max_integer then
    return ("%d"):format(value)
  end
  for digits = 15, 16 do
    local text = ("%%.%dg"):format(digits):format(value)
    if tonumber(text) == value then
      return text
    end
  end
  return ("%.17g"):format(value)
end

local append

local function append_list(parts, list)
  for i, item in ipairs(list) do
    table.insert(parts, i > 1 and "," or "")
    append(parts, item)
  end
end

local function append_map(parts, map)
  local names = vim.tbl_keys(map)
  table.sort(names)
  for i, name in ipairs(names) do
    table.insert(parts, (i > 1 and "," or "") .. quoted(name) .. ":")
    append(parts, map[name])
  end
end

function append(parts, value)
  local kind = type(value)
  if value == vim.NIL or value == nil then
    table.insert(parts, "null")
  elseif kind == "number" then
    table.insert(parts, number(value))
  elseif kind == "string" then
    table.insert(parts, quoted(value))
  elseif kind == "boolean" then
    table.insert(parts, tostring(value))
  elseif vim.islist(value) then
    table.insert(parts, "[")
    append_list(parts, value)
    table.insert(parts, "]")
  else
    table.insert(parts, "{")
    append_map(parts, value)
    table.insert(parts, "}")
  end
end

--- Encodes a value that mcp-tools.values has no problem with. Bytes of strings stay as they
--- are, also those that are no UTF-8.
---@param value any
---@return string
function M.encode(value)
  local parts = {}
  append(parts, value)
  return table.concat(parts)
end

return M
