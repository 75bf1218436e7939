--- Positions in a text, and how one way of counting becomes another.
---
--- Four ways meet in this plugin:
---
---   API     lines from 1, columns in bytes from 0   nvim_win_get_cursor(), nvim_buf_get_mark()
---   getpos  lines from 1, columns in bytes from 1   getpos(), line(), col(), commands of the user
---   wire    lines from 0, columns in bytes from 0   Claude Code, nvim_buf_get_lines(), diagnostics
---   LSP     lines from 0, columns in units          language servers
---
--- What a unit is each language server agrees with Neovim: by default UTF-16's, else a byte or a
--- code point. Tools for language servers show and take lines and columns from 1, columns in bytes,
--- as getpos.
---
--- The wire's `character` is a byte, not a UTF-16 unit: Claude's editors count so, and Claude
--- itself only looks at the lines. A range on the wire ends behind its last character; Neovim's
--- marks stand on it, on its first byte. A character is what the cursor steps over: a base
--- character and all that combines with it. A column at the line's end is the line break, and
--- one more is behind it. A column past that, such as the 2147483647 of a linewise mark, is cut.

local M = {}

---@class claudecode.Position On the wire
---@field line integer From 0
---@field character integer Bytes, from 0

--- An API position on the wire.
---@param at { [1]: integer, [2]: integer }
---@return claudecode.Position
function M.from_api(at)
  return { line = at[1] - 1, character = at[2] }
end

--- The API position of what getpos() returns.
---@param at integer[]
---@return { [1]: integer, [2]: integer }
function M.from_getpos(at)
  return { at[2], math.max(at[3] - 1, 0) }
end

--- The column behind the whole character at a column, both in bytes from 0.
---@param text string The line
---@param column integer
---@return integer
function M.behind(text, column)
  if column >= #text then
    return #text + 1
  end
  -- Its fourth argument has composing characters counted with their base.
  return column + #vim.fn.strcharpart(text:sub(column + 1), 0, 1, true)
end

--- Neovim 0.11 warns of what 0.10 has, and that takes long.
local is_0_11 = vim.fn.has("nvim-0.11") == 1

--- How many units the bytes before a column are.
local function measure(text, column, encoding)
  if is_0_11 then
    return vim.str_utfindex(text, encoding, column, false)
  end
  local utf32, utf16 = vim.str_utfindex(text, column)
  return ({ ["utf-8"] = column, ["utf-16"] = utf16, ["utf-32"] = utf32 })[encoding]
end

--- The column in units of one in bytes, within a character that of its start.
---@param text string The line
---@param column integer Bytes, from 0
---@param encoding? string What a unit is: "utf-8", "utf-16" (default) or "utf-32"
---@return integer
function M.to_units(text, column, encoding)
  column = math.min(column, #text)
  if column < #text then
    column = column + vim.str_utf_start(text, column + 1)
  end
  return measure(text, column, encoding or "utf-16")
end

--- The column in bytes of one in units, cut at the line's end.
---@param text string The line
---@param units integer From 0
---@param encoding? string As for to_units()
---@return integer
function M.from_units(text, units, encoding)
  encoding = encoding or "utf-16"
  if is_0_11 then
    return vim.str_byteindex(text, encoding, units, false)
  elseif encoding == "utf-8" then
    return math.min(units, #text)
  end
  return vim.str_byteindex(text, math.min(units, measure(text, #text, encoding)), encoding == "utf-16")
end

return M
