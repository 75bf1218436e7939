--- Signs on the lines that the last turn changed, in buffers that are loaded.

local ask = require("claudecode.turns.ask")
local clock = require("claudecode.clock")
local decode = require("claudecode.turns.decode")
local latest = require("claudecode.turns.latest")
local paths = require("claudecode.paths")
local text = require("claudecode.diff.text")
local undo = require("claudecode.turns.undo")

local M = {}

local api = vim.api

--- How long after a change its files are looked up: changes come in bursts. Those that come meanwhile do
--- not put it off.
M.every_ms = 200

local namespace = api.nvim_create_namespace("claudecode.turns.signs")

local looks = {
  added = { "┃", "Added", "ClaudeCodeChangedAdd" },
  changed = { "┃", "Changed", "ClaudeCodeChangedChange" },
  removed = { "▁", "Removed", "ClaudeCodeChangedDelete" },
}

local shown ---@type claudecode.Turn?
local watching ---@type integer?

local function clear(buf)
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

---@param buf integer
---@param texts claudecode.TurnTexts
local function draw(buf, texts)
  clear(buf)
  if not (texts.before.bytes or texts.before.kind == "absent") or not texts.after.bytes then
    return
  end
  local before, after = decode.text(texts.before.bytes or "", buf), decode.text(texts.after.bytes, buf)
  local rows = api.nvim_buf_line_count(buf)
  for _, part in ipairs(undo.shown(before, after, text.read(buf))) do
    local sign, link, group = unpack(looks[part.kind])
    api.nvim_set_hl(0, group, { link = link, default = true })
    local first, last = part.first, part.last - 1
    if part.kind == "removed" then -- below the line before it, or above the first line
      sign = first > 0 and sign or "▔"
      first, last = math.max(first - 1, 0), math.max(first - 1, 0)
    end
    for row = first, last do
      local at = math.min(row, rows - 1)
      api.nvim_buf_set_extmark(buf, namespace, at, 0, { sign_text = sign, sign_hl_group = group })
    end
  end
end

local waiting = {} ---@type claudecode.TurnFile[] Files of the turn that is shown
local asking = false

--- Marks the files that wait, one after the other: their texts may be large.
local function go_on()
  local file = table.remove(waiting, 1)
  asking = file ~= nil
  local turn, buf = shown, file and paths.find_buffer(file.path)
  if not file then
    return
  elseif not turn or not buf then
    return go_on()
  end
  ask.about(turn, "turn_file", { path = file.path }, function(texts)
    if texts and shown == turn and api.nvim_buf_is_loaded(buf) then
      pcall(draw, buf, texts)
    end
    go_on()
  end)
end

---@param file claudecode.TurnFile
local function mark(file)
  local is_text = not file.binary and (file.kept or file.change == "created")
  if is_text and paths.find_buffer(file.path) and not vim.list_contains(waiting, file) then
    table.insert(waiting, file)
    if not asking then
      go_on()
    end
  end
end

--- Buffers that are read again get their signs again.
local function watch()
  watching = watching
    or api.nvim_create_autocmd({ "BufReadPost", "FileChangedShellPost" }, {
      group = api.nvim_create_augroup("ClaudeCodeTurnSigns", {}),
      desc = "Marks what Claude changed",
      callback = function(event)
        local path = api.nvim_buf_get_name(event.buf)
        local file = shown and path ~= "" and require("claudecode.turns.find").file(shown, path)
        if shown and file then
          mark(file)
        end
      end,
    })
end

local due = false

local timer = clock.one_shot(function()
  due = false
  local number = latest.turn()
  if not number or latest.unseen() == 0 then
    return
  end
  ask.turn(number, false, function(turn)
    if turn and latest.turn() == number and latest.unseen() > 0 then
      shown, waiting = turn, {}
      watch()
      vim.iter(turn.files):each(mark)
    end
  end)
end)

--- A turn changed files.
function M.update()
  if not due then
    due = true
    timer.start(M.every_ms)
  end
end

--- The user looked at them, or a new turn begins.
function M.clear()
  timer.stop()
  due, shown, waiting = false, nil, {}
  if watching then
    api.nvim_del_autocmd(watching)
    watching = nil
  end
  vim.iter(api.nvim_list_bufs()):each(clear)
end

return M
