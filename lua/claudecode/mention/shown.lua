--- The file that a buffer of ours stands for, whose own name is that of no file.

local M = {}

--- The file of the proposal, or of the review, in which the user is.
---@return string? path Absolute
function M.file()
  local buf = vim.api.nvim_get_current_buf()
  local life, review = package.loaded["claudecode.diff.life"], package.loaded["claudecode.turns.review"]
  local diff = life and life.filter(function(diff)
    return diff.layout ~= nil and diff.layout.buf == buf
  end)[1]
  if diff then
    return diff.proposal.old_path
  end
  local file = review and review.here()
  return file and file.path or nil
end

return M
