--- Files that a tool shows to the user. What is special in a window stays there: a terminal, a chat
--- with an assistant, an explorer, a panel of a debugger, a diff.

local files = require("mcp-tools.files")
local windows = require("claudecode.windows")

local M = {}

local api = vim.api

--- Buffers of these have text and no file that the user edits.
local special_filetypes = { codecompanion = true, avante = true, chatgpt = true, ["copilot-chat"] = true }

--- How wide a window must be to be split into two beside each other, in columns.
local min_width = 120

---@param win integer
local function is_special(win)
  local buf = api.nvim_win_get_buf(win)
  local bo, name = vim.bo[buf], api.nvim_buf_get_name(buf)
  return bo.buftype ~= "" and bo.buftype ~= "acwrite"
    or special_filetypes[bo.filetype:lower()]
    or name:find("^%a[%w+.-]*://") ~= nil
    or name == "" and not windows.is_empty(win)
    or not windows.is_editor(win)
end

--- A window that may show another buffer: one beside the current, else that.
---@return integer? win
local function find_free()
  local current = api.nvim_get_current_win()
  local wins = vim.tbl_filter(function(win)
    return win ~= current and not is_special(win)
  end, api.nvim_tabpage_list_wins(0))
  return wins[1] or not is_special(current) and current or nil
end

--- A new window for a buffer where all that there are must stay.
local function split(buf)
  local beside = api.nvim_get_current_win()
  if windows.is_floating(beside) then
    return windows.make_editor(buf)
  end
  local direction = api.nvim_win_get_width(beside) > min_width and "right" or "below"
  local win = api.nvim_open_win(buf, false, { split = direction, win = beside })
  windows.unfix(win)
  return win
end

--- Runs f, after which the user is where they were, and sees what they saw.
---@generic T
---@param f fun(): T
---@return T
function M.keeping(f)
  local current, views = api.nvim_get_current_win(), {}
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    views[win] = { api.nvim_win_get_buf(win), api.nvim_win_call(win, vim.fn.winsaveview) }
  end
  local ok, result = pcall(f)
  for win, seen in pairs(views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == seen[1] then
      api.nvim_win_call(win, function()
        vim.fn.winrestview(seen[2])
      end)
    end
  end
  if api.nvim_win_is_valid(current) and api.nvim_get_current_win() ~= current then
    api.nvim_set_current_win(current)
  end
  if not ok then
    error(result, 0)
  end
  return result
end

--- The buffer of a file, loaded; no window shows it for that.
---@param who string Who is named in warnings
---@param path string As a client writes it
---@return integer? buf
---@return string? err
function M.load(who, path)
  local absolute = files.absolute(path)
  local known = require("claudecode.paths").find_buffer(absolute)
  if known then
    return known
  end
  local stat = not absolute:find("\0", 1, true) and vim.uv.fs_stat(absolute)
  if not stat or stat.type ~= "file" then
    return nil, "File not found: " .. path
  end
  local ok, buf = pcall(M.keeping, function()
    return files.load(who, absolute)
  end)
  if not ok then
    return nil, ("Cannot open %s: %s"):format(path, require("claudecode.strict").reason(buf))
  end
  return buf
end

--- Takes the user to a place. The moment must be a safe one.
---@param buf integer
---@param line integer From 1; what is behind the end is the last
---@param column? integer Bytes, from 1
---@return integer win
function M.go(buf, line, column)
  local win = windows.find_showing(buf)
  if not win then
    win = find_free()
    if win then
      api.nvim_win_call(win, function()
        vim.cmd("normal! m'")
        api.nvim_cmd({ cmd = "buffer", count = buf, mods = { hide = true } }, {})
      end)
    else
      win = split(buf)
    end
  end
  api.nvim_set_current_win(win)
  line = math.max(1, math.min(line, api.nvim_buf_line_count(buf)))
  api.nvim_win_set_cursor(win, { line, math.max((column or 1) - 1, 0) })
  vim.cmd("normal! zvzz")
  return win
end

--- Takes the user to a place once they do not type.
---@param name string Of the tool
---@param buf integer
---@param line integer
---@param column? integer
---@param done fun(err?: string)
---@return fun() cancel
function M.when_safe(name, buf, line, column, done)
  return require("claudecode.moment").run(function()
    if not api.nvim_buf_is_loaded(buf) then
      return done("its buffer was closed")
    end
    local ok, err = pcall(M.go, buf, line, column)
    done(not ok and require("claudecode.strict").reason(err) or nil)
  end, { name = name })
end

return M
