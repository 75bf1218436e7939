--- The name that somebody meant who wrote another.

local M = {}

--- How many letters must be changed, added or removed to make one name of the other.
---@param a string
---@param b string
---@return integer
function M.distance(a, b)
  local row = {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      diagonal, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
    end
  end
  return row[#b]
end

--- The closest of the names, if it is close.
---@param name string
---@param names string[]
---@return string?
function M.find(name, names)
  local best, least
  for _, candidate in ipairs(names) do
    local distance = M.distance(name:lower(), candidate:lower())
    if not least or distance < least then
      best, least = candidate, distance
    end
  end
  return least and least <= math.max(2, math.floor(#name / 3)) and best or nil
end

return M
