--- What differs between two texts, of which long ones are compared by another thread.

local hunks = require("claudecode.diff.hunks")
local lines = require("mcp-tools.lines")
local slices = require("mcp-tools.slices")

local M = {}

--- Texts are compared by another thread if they have more lines than this together, and each is handed
--- over in a few pieces: one string of a long text would take long to make.
local max_at_once, pieces = 500, 4

--- What differs, as vim.text.diff() gives it. Runs in any thread, so it knows nothing of this file.
local function differences(options, a1, a2, a3, a4, b1, b2, b3, b4)
  local diff = vim.text and vim.text.diff or vim.diff
  local ok, found = pcall(diff, a1 .. a2 .. a3 .. a4, b1 .. b2 .. b3 .. b4, vim.mpack.decode(options))
  return ok, ok and vim.mpack.encode(found) or tostring(found)
end

--- A text in that many pieces.
local function cut(text)
  local list, size = {}, math.ceil(#text / pieces)
  for i = 1, pieces do
    slices.pause()
    list[i] = table.concat(text, "", (i - 1) * size + 1, math.min(i * size, #text))
  end
  return list
end

--- What differs between two texts. Runs in slices.
---@param old mcp_tools.Text
---@param new mcp_tools.Text
---@param options? vim.text.diff.Opts
---@return integer[][] found As vim.text.diff() gives indices; all is one difference if the texts are too long
function M.indices(old, new, options)
  local old_count, new_count = lines.count(old), lines.count(new)
  if old_count + new_count == 0 then
    return {}
  elseif old_count == 0 or new_count == 0 or old_count + new_count > hunks.max_lines then
    -- An empty range is given by the line before it.
    return { { old_count > 0 and 1 or 0, old_count, new_count > 0 and 1 or 0, new_count } }
  end
  options = vim.tbl_extend("error", { result_type = "indices" }, options or { indent_heuristic = true })
  local all = vim.list_extend({ vim.mpack.encode(options) }, vim.list_extend(cut(old), cut(new)))
  local ok, result
  if old_count + new_count <= max_at_once or not slices.can_pause() then
    ok, result = differences(unpack(all))
  else
    slices.pause(true)
    local work = vim.uv.new_work(differences, function(...)
      ok, result = ...
    end)
    assert(work:queue(unpack(all)))
    while ok == nil do
      slices.pause(true)
    end
  end
  return ok and vim.mpack.decode(result) or error(result, 0)
end

return M
