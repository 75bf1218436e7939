--- The buffer of a proposal that is long: filled in slices, before anything of it is shown.

local names = require("claudecode.diff.names")
local slices = require("mcp-tools.slices")
local strict = require("claudecode.strict")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

--- Bytes of a text from which on it is long.
M.min_bytes = 256 * 1024

--- Lines of a buffer that is deleted at once.
M.max_at_once = 5000

--- Deletes a buffer that nobody wants any more.
---@param buf integer
function M.drop(buf)
  if api.nvim_buf_is_valid(buf) then
    text.silently(function()
      api.nvim_buf_delete(buf, { force = true })
    end)
  end
end

--- Deletes a proposal that is not shown any more; a long one, which takes a while, in a turn of its own.
---@param buf integer
function M.discard(buf)
  local function delete()
    if api.nvim_buf_is_valid(buf) then
      strict.try(api.nvim_buf_delete, buf, { force = true })
    end
  end
  if not api.nvim_buf_is_valid(buf) or api.nvim_buf_line_count(buf) <= M.max_at_once then
    return delete()
  end
  -- It is nothing that :qa has to ask about.
  text.silently(function()
    vim.bo[buf].modified = false
  end)
  vim.defer_fn(delete, slices.pause_ms)
end

--- Fills a buffer with the text of a proposal, if that is long.
---@param diff claudecode.Diff That waits; it can be told to stop
---@param ready fun(buf?: integer) Called at once, without a buffer, for a short text
function M.prepare(diff, ready)
  local proposed = diff.proposal.text
  if #proposed < M.min_bytes then
    return ready()
  end
  local buf, stopped = names.new_buffer(false), false
  function diff.stop_waiting()
    stopped = true
    M.drop(buf)
  end
  slices.run(function()
    text.fill_in_slices(buf, proposed)
    ready(buf)
  end, function()
    return not stopped
  end, function(err)
    -- Whatever became of the buffer, it can still be filled at once.
    require("claudecode.log").debug("diff", "The proposal is not prepared: " .. err)
    M.drop(buf)
    ready()
  end)
end

return M
