--- JSON text. The encoder of Neovim 0.10 rounds integers to 14 digits, and the order of its
--- names changes from run to run.

local M = {}

--- From here on a float may be no integer any more.
local max_integer = 2 ^ 53

--- The encoder of Neovim 0.10 escapes slashes.
local escapes_slashes = vim.json.encode("/") ~= '"/"'

--- Strings up to this length are looked at here: the encoder in C is faster for longer ones.
local short = 64

local function quoted(text)
  if #text <= short and not text:find('[%c"\\]') then
    return '"' .. text .. '"'
  end
  local encoded = vim.json.encode(text)
  if escapes_slashes and text:find("/", 1, true) then
    return (encoded:gsub("\\/", "/"))
  end
  return encoded
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

--- Appends to parts, which has n, and returns how many it has then.
local function append_list(parts, n, list)
  for i = 1, #list do
    parts[n + 1] = i > 1 and "," or ""
    n = append(parts, n + 1, list[i])
  end
  return n
end

local function append_map(parts, n, map)
  local names = {}
  for name in pairs(map) do
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do
    parts[n + 1] = (i > 1 and "," or "") .. quoted(name) .. ":"
    n = append(parts, n + 1, map[name])
  end
  return n
end

local function append_table(parts, n, value)
  if value[1] ~= nil or vim.islist(value) then
    parts[n + 1] = "["
    n = append_list(parts, n + 1, value)
    parts[n + 1] = "]"
  else
    parts[n + 1] = "{"
    n = append_map(parts, n + 1, value)
    parts[n + 1] = "}"
  end
  return n + 1
end

local encoders = { number = number, string = quoted, boolean = tostring }

function append(parts, n, value)
  local encoder = encoders[type(value)]
  if encoder then
    parts[n + 1] = encoder(value)
  elseif value == nil or value == vim.NIL then
    parts[n + 1] = "null"
  else
    return append_table(parts, n, value)
  end
  return n + 1
end

--- Encodes a value that mcp-tools.values has no problem with. Bytes of strings stay as they
--- are, also those that are no UTF-8.
---@param value any
---@return string
function M.encode(value)
  local parts = {}
  append(parts, 0, value)
  return table.concat(parts)
end

return M
