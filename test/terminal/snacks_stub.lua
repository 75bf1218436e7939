-- The public face of snacks.nvim's terminal: Snacks.terminal.open() and the window object that it
-- returns, which behave as the plugin's do where a caller can see it.

local Win = {}
Win.__index = Win

local count = 0

function Win:buf_valid()
  return self.buf and vim.api.nvim_buf_is_valid(self.buf)
end

function Win:win_valid()
  return self.win and vim.api.nvim_win_is_valid(self.win)
end

function Win:valid()
  return self:win_valid() and self:buf_valid() and vim.api.nvim_win_get_buf(self.win) == self.buf
end

function Win:on(event, callback, options)
  vim.api.nvim_create_autocmd(event, {
    group = self.augroup,
    buffer = options and options.buf and self.buf or nil,
    callback = function(args)
      return callback(self, args)
    end,
  })
end

local function cells(size, total)
  return size == 0 and total or size < 1 and math.floor(total * size) or size
end

local splits = { left = "vertical topleft", right = "vertical botright", top = "topleft", bottom = "botright" }

function Win:open_win()
  local options = self.opts
  local width, height = cells(options.width, vim.o.columns), cells(options.height, vim.o.lines)
  if options.position == "float" then
    self.win = vim.api.nvim_open_win(self.buf, options.enter, {
      relative = "editor",
      row = 1,
      col = 1,
      width = math.min(width, vim.o.columns - 2),
      height = math.min(height, vim.o.lines - 4),
    })
    return
  end
  local size = splits[options.position]:find("vertical") and width or height
  vim.api.nvim_win_call(0, function()
    vim.cmd("silent noswapfile " .. splits[options.position] .. " " .. size .. "split")
    vim.api.nvim_win_set_buf(0, self.buf)
    self.win = vim.api.nvim_get_current_win()
  end)
  if options.enter then
    vim.api.nvim_set_current_win(self.win)
  end
end

function Win:show()
  vim.g.snacks_shown = (vim.g.snacks_shown or 0) + 1
  if self:valid() then
    return self
  end
  count = count + 1
  self.augroup = vim.api.nvim_create_augroup("snacks_win_" .. count, { clear = true })
  if not self:buf_valid() then
    self.buf = vim.api.nvim_create_buf(false, true)
    self.scratch_buf = self.buf
    vim.bo[self.buf].filetype = "snacks_terminal"
  end
  self:open_win()
  for name, value in pairs(self.opts.wo or {}) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = self.win })
  end
  for _, key in pairs(self.opts.keys) do
    local action = key[2]
    vim.keymap.set(key.mode or "n", key[1], function()
      if type(action) == "string" then
        return self[action](self)
      end
      return action(self)
    end, { buffer = self.buf, desc = key.desc })
  end
  return self
end

function Win:close(options)
  local win, buf = self.win, (not options or options.buf ~= false) and self.buf or nil
  self.win = nil
  if buf then
    self.buf = nil
  end
  pcall(vim.api.nvim_win_close, win, true)
  if buf and vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
  pcall(vim.api.nvim_del_augroup_by_id, self.augroup)
end

function Win:hide()
  self:close({ buf = false })
  return self
end

function Win:toggle()
  return self:valid() and self:hide() or self:show()
end

local terminal = {}

function terminal.open(cmd, options)
  vim.g.snacks_opened = true
  local win = vim.tbl_deep_extend("force", {
    position = "float",
    width = 0.9,
    height = 0.9,
    enter = true,
    wo = { winbar = "snacks" },
    keys = { hide = { "q", "hide" }, toggle = { "<C-t>", "toggle", mode = { "n", "t" } } },
  }, options.win)
  local self = setmetatable({ opts = win, cmd = cmd }, Win)
  self:show()
  if options.start_insert and vim.api.nvim_get_current_buf() == self.buf then
    vim.cmd.startinsert()
  end
  if options.auto_insert then
    self:on("BufEnter", function()
      vim.cmd.startinsert()
    end, { buf = true })
  end
  self:on("BufWipeout", function()
    vim.schedule(function()
      self:close()
    end)
  end, { buf = true })
  vim.api.nvim_buf_call(self.buf, function()
    (vim.fn.has("nvim-0.11") == 1 and vim.fn.jobstart or vim.fn.termopen)(cmd, {
      cwd = options.cwd,
      env = options.env,
      term = vim.fn.has("nvim-0.11") == 1 or nil,
    })
  end)
  return self
end

return { terminal = terminal }
