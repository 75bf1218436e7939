--- Lines for the user: `[ClaudeCode] [component] [LEVEL] message`.
---
--- Errors and warnings go to vim.notify if a plugin has replaced it, and all else to the message
--- area, from the main loop. That gets at most one screen line, so that none stops the editor at
--- "Press ENTER": first without what stands in brackets, then cut. recent() has the whole text.
--- Neovim's own vim.notify is not asked: its error would be an exception in whatever script waits
--- at that time, or be told with that script's name above it, and drop what the user has typed.

local M = {}

local severity = { error = 1, warn = 2, info = 3, debug = 4, trace = 5 }
local titles = { error = "ClaudeCode Error", warn = "ClaudeCode Warning" }
local highlights = { error = "ErrorMsg", warn = "WarningMsg" }

--- How long there is a message area where 'cmdheight' allows none.
local area_ms = 4000

--- Where the user finds the rest of a line that was cut.
local whole_text_hint = "… (:checkhealth claudecode)"

--- Lines that recent() keeps.
local max_recent = 50

local threshold = severity.info
---@class (exact) claudecode.LogLine
---@field level claudecode.LogLevel
---@field title? string That a plugin's vim.notify gets; absent: the message area is the place
---@field forms string[] The fullest first

local waiting = {} ---@type claudecode.LogLine[]
local recent = {} ---@type string[]

---@param config { log_level?: claudecode.LogLevel }
function M.setup(config)
  threshold = severity[config.log_level] or severity.info
end

local width = vim.fn.strdisplaywidth

--- Makes one line of a text: control characters become blanks.
local function flat(text)
  return vim.trim((text:gsub("[%c%s]+", " ")))
end

--- Makes one screen line of a text; what is too long is cut.
---@param text string
---@param ending? string Put at the end of a line that was cut, if it leaves room for as much text
---@return string
function M.one_line(text, ending)
  text = flat(text)
  if width(text) <= vim.v.echospace then
    return text
  end
  if not ending or width(ending) * 2 > vim.v.echospace then
    ending = "…"
  end
  local room = vim.v.echospace - width(ending)
  if room < 0 then
    return ""
  end
  local cut = vim.fn.strcharpart(text, 0, room)
  while width(cut) > room do
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. ending
end

--- The fullest form of a line that fits the screen.
---@param forms string[]
local function fitting(forms)
  local fits = vim.iter(forms):find(function(form)
    return width(flat(form)) <= vim.v.echospace
  end)
  return M.one_line(fits or forms[#forms], whole_text_hint)
end

--- Neovim's own vim.notify prints in the message area; a plugin's has room for the whole text.
local function notify_is_builtin()
  local source = debug.getinfo(vim.notify, "S").source
  return source == "?" or vim.startswith(source, "@vim/")
end

--- A message asks for ENTER where there is no area for it.
local function make_room()
  if vim.o.cmdheight > 0 then
    return
  end
  vim.o.cmdheight = 1
  require("claudecode.clock").after(area_ms, function()
    if vim.o.cmdheight == 1 then
      vim.o.cmdheight = 0
    end
  end)
end

local function flush()
  local lines = waiting
  waiting = {}
  for _, line in ipairs(lines) do
    if line.title and not notify_is_builtin() then
      vim.notify(line.forms[1], vim.log.levels[line.level:upper()], { title = line.title })
    else
      make_room()
      -- A second line of one turn, whoever printed the first, would scroll the message area,
      -- and that asks for ENTER.
      vim.cmd.redraw()
      vim.api.nvim_echo({ { fitting(line.forms), highlights[line.level] } }, true, {})
    end
  end
end

---@param whole string
---@param line claudecode.LogLine
local function tell(whole, line)
  table.insert(recent, whole)
  if #recent > max_recent then
    table.remove(recent, 1)
  end
  table.insert(waiting, line)
  if #waiting == 1 then
    vim.schedule(flush)
  end
end

---@param level claudecode.LogLevel
---@param component? string Left out when only a message is given
---@param ... any Parts of the message; what is not a string or number is inspected
local function write(level, component, ...)
  if severity[level] > threshold then
    return
  end
  local parts = { ... }
  if select("#", ...) == 0 then
    component, parts = nil, { component }
  end
  for i = 1, math.max(select("#", ...), 1) do
    local part = parts[i]
    local plain = type(part) == "string" or type(part) == "number"
    parts[i] = plain and tostring(part) or vim.inspect(part)
  end
  local message = table.concat(parts, " ")
  local where = component and (" [%s]"):format(component) or ""
  local text = ("[ClaudeCode]%s [%s] %s"):format(where, level:upper(), message)
  local shorter = ("[ClaudeCode] [%s] %s"):format(level:upper(), message)
  local forms = { text, shorter, "[ClaudeCode] " .. message, message }
  tell(text, { level = level, title = titles[level], forms = forms })
end

--- Tells the user something in the name of mcp-tools.
---@param level claudecode.LogLevel
---@param message string
function M.tools(level, message)
  if severity[level] <= threshold then
    local whole = ("[mcp-tools] [%s] %s"):format(level:upper(), message)
    tell(whole, { level = level, title = "mcp-tools", forms = { "[mcp-tools] " .. message, message } })
  end
end

for level in pairs(severity) do
  ---@param component string
  ---@param ... any
  M[level] = function(component, ...)
    write(level, component, ...)
  end
end

--- The last lines, whole, oldest first.
---@return string[]
function M.recent()
  return vim.list_slice(recent)
end

return M
