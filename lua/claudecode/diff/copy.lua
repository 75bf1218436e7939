--- `:w FILE` and `:saveas FILE` of a proposal: its text goes to that file, and nothing is decided.

local log = require("claudecode.log")
local text = require("claudecode.diff.text")

local M = {}

local api = vim.api

--- Whether a BufWriteCmd is about another file. `:saveas` has renamed the buffer by then.
---@param buf integer
---@param name string The buffer's own name
---@param event vim.api.keyset.create_autocmd.callback_args
---@return boolean
function M.is_copy(buf, name, event)
  if api.nvim_buf_get_name(buf) ~= name then
    return true
  end
  return not vim.list_contains({ event.match, event.file }, name) and event.file ~= vim.fn.bufname(buf)
end

--- Gives the buffer its name back, which an empty one has since `:saveas`.
local function name_again(buf, name)
  text.silently(function()
    for _, other in ipairs(api.nvim_list_bufs()) do
      if other ~= buf and api.nvim_buf_get_name(other) == name then
        api.nvim_buf_delete(other, { force = true })
      end
    end
    api.nvim_buf_set_name(buf, name)
  end)
end

---@return string? err
local function write(path, contents)
  local file, err = io.open(path, "wb")
  if not file then
    return err
  end
  local _, failed = file:write(contents)
  local _, broken = file:close()
  return failed or broken
end

--- Writes the text of a proposal to another file, and says that this was all.
---@param buf integer
---@param name string The buffer's own name
---@param path string Absolute
---@param contents string
function M.write(buf, name, path, contents)
  if api.nvim_buf_get_name(buf) ~= name then
    name_again(buf, name)
  end
  local err = write(path, contents)
  if err then
    log.error("diff", "Cannot write the proposal: " .. err)
  else
    log.info("diff", ("The proposal is written to %s, and is still to be accepted"):format(path))
  end
end

return M
