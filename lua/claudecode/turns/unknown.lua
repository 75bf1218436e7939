--- What is not known of the changes of a turn, which a list of its files cannot show.

local M = {}

---@type { is: fun(turn: claudecode.Turn): boolean, says: string }[]
local gaps = {
  {
    is = function(turn)
      return turn.more
    end,
    says = "there are files beyond those that are known, which stay as they are",
  },
  {
    is = function(turn)
      return turn.unseen
    end,
    says = "there are too many work trees, or files untracked or not as committed, to know what commands changed",
  },
}

--- Says it, after a separator each.
---@param turn claudecode.Turn
---@param separator string
---@return string text "" if all is known
function M.of(turn, separator)
  local text = ""
  for _, gap in ipairs(gaps) do
    text = gap.is(turn) and text .. separator .. gap.says or text
  end
  return text
end

return M
