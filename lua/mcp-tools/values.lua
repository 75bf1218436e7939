--- Which Lua values have a JSON form. What crosses to the daemon is checked here first, so that
--- the author of a tool reads where the trouble is: `result.items[3].cb: a function has no JSON form`.

local M = {}

--- Levels of tables within tables.
M.max_depth = 128

--- Values in one result, counted as often as they are reached.
M.max_values = 1048576

--- How a key looks in the place that a message names.
local function step(key)
  if type(key) == "string" then
    return key:match("^[%a_][%w_]*$") and "." .. key or ("[%q]"):format(key)
  end
  return ("[%s]"):format(tostring(key))
end

--- Why a table is neither a list nor a map.
local function shape_problem(value)
  local names, indexes, highest = 0, 0, 0
  for key in pairs(value) do
    if type(key) == "string" then
      names = names + 1
    elseif type(key) == "number" and key >= 1 and key == math.floor(key) then
      indexes, highest = indexes + 1, math.max(highest, key)
    else
      return ("a table with the key %s has no JSON form"):format(tostring(key))
    end
  end
  if names > 0 and indexes > 0 then
    return "a table with both names and indexes has no JSON form"
  elseif highest ~= indexes then
    return "a list with holes has no JSON form"
  end
end

local function number_problem(value)
  if value ~= value then
    return "NaN has no JSON form"
  elseif value == math.huge or value == -math.huge then
    return "an infinite number has no JSON form"
  end
end

local plain = { ["nil"] = true, boolean = true, string = true }

---@param value any
---@param walk { open: table<table, true>, depth: integer, left: integer }
---@return string? reason
---@return string? place Below the value
local function find(value, walk)
  walk.left = walk.left - 1
  if walk.left < 0 then
    return ("more than %d values"):format(M.max_values), ""
  end
  local kind = type(value)
  if plain[kind] or value == vim.NIL then
    return
  elseif kind == "number" then
    return number_problem(value), ""
  elseif kind ~= "table" then
    return ("a %s has no JSON form"):format(kind), ""
  elseif walk.open[value] then
    return "a table that contains itself has no JSON form", ""
  elseif walk.depth == M.max_depth then
    return ("more than %d levels deep"):format(M.max_depth), ""
  end
  local reason, place = shape_problem(value), ""
  if reason then
    return reason, place
  end
  walk.open[value], walk.depth = true, walk.depth + 1
  for key, item in pairs(value) do
    reason, place = find(item, walk)
    if reason then
      return reason, step(key) .. place
    end
  end
  walk.open[value], walk.depth = nil, walk.depth - 1
end

--- Names the first part of a value that JSON has no form for.
---@param value any
---@param name string What the value is called
---@return string? problem nil if there is none
function M.problem(value, name)
  local reason, place = find(value, { open = {}, depth = 0, left = M.max_values })
  if reason then
    return ("%s%s: %s"):format(name, place, reason)
  end
end

return M
