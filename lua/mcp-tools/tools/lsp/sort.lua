--- Sorts long lists without holding up the editor, which table.sort() would: nothing may wait within it.

local M = {}

--- A list sorted; those of which none is before the other stay in their order. A merge sort.
---@generic T
---@param call mcp_tools.WaitingCall
---@param list T[]
---@param is_before fun(a: T, b: T): boolean
---@return T[]
function M.stable(call, list, is_before)
  local width = 1
  while width < #list do
    local sorted = {}
    for low = 1, #list, 2 * width do
      local a, b = low, low + width
      local a_end, b_end = math.min(b, #list + 1), math.min(low + 2 * width, #list + 1)
      while a < a_end or b < b_end do
        call:pause()
        if b >= b_end or a < a_end and not is_before(list[b], list[a]) then
          table.insert(sorted, list[a])
          a = a + 1
        else
          table.insert(sorted, list[b])
          b = b + 1
        end
      end
    end
    list, width = sorted, 2 * width
  end
  return list
end

return M
