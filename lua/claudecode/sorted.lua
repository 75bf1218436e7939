--- pairs() in an order that is always the same, also where a table of the user's has keys of several
--- types, which vim.spairs() cannot compare.

---@generic K, V
---@param entries table<K, V>
---@return fun(): K?, V?
return function(entries)
  local keys = vim.tbl_keys(entries)
  table.sort(keys, function(a, b)
    if type(a) == type(b) and type(a) == "number" then
      return a < b
    elseif type(a) ~= type(b) then
      return type(a) < type(b)
    end
    return tostring(a) < tostring(b)
  end)
  local i = 0
  return function()
    i = i + 1
    return keys[i], entries[keys[i]]
  end
end
