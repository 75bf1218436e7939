-- A session over an adapter's stdio, in the wire format of the Debug Adapter Protocol.
local Session = {}
Session.__index = Session

local uv, last_id = vim.uv, 0

local function dap()
  return require("dap")
end

local function call(listeners, ...)
  for key, listener in pairs(listeners) do
    if listener(...) then
      listeners[key] = nil
    end
  end
end

local error_mt = {
  __tostring = function(err)
    return err.message or "Undefined error"
  end,
}

-- Cuts what comes into messages.
local function reader(take)
  local buffer = ""
  return function(chunk)
    buffer = buffer .. chunk
    while true do
      local length, body = buffer:match("^Content%-Length: (%d+)\r\n\r\n()")
      if not length or #buffer < body + length - 1 then
        return
      end
      take(buffer:sub(body, body + length - 1))
      buffer = buffer:sub(body + length)
    end
  end
end

function Session:write(message)
  message.seq = self.seq
  self.seq = self.seq + 1
  local text = vim.json.encode(message)
  self.stdin:write(("Content-Length: %d\r\n\r\n%s"):format(#text, text))
end

function Session:request(command, arguments, callback)
  self.callbacks[self.seq], self.arguments[self.seq] = callback or function() end, arguments
  self:write({ type = "request", command = command, arguments = arguments })
end

function Session:take(message)
  local listeners = dap().listeners
  if message.type == "response" then
    local seq = message.request_seq
    local callback, arguments = self.callbacks[seq], self.arguments[seq]
    self.callbacks[seq], self.arguments[seq] = nil, nil
    if not callback then
      return
    end
    local err = nil
    if not message.success then
      err = setmetatable({ message = message.message, body = message.body }, error_mt)
    end
    local body = not err and message.body or nil
    call(listeners.before[message.command], self, err, body, arguments, seq)
    callback(err, body, seq)
    call(listeners.after[message.command], self, err, body, arguments, seq)
  elseif message.type == "event" then
    local name = "event_" .. message.event
    call(listeners.before[name], self, message.body)
    if self[name] then
      self[name](self, message.body)
    end
    call(listeners.after[name], self, message.body)
  elseif message.command == "startDebugging" then
    local config = message.arguments.configuration
    config.request = message.arguments.request
    local child = Session.spawn(dap().adapters[config.type], config, {}, self)
    self.children[child.id] = child
    child.on_close["dap.session.child"] = function()
      self.children[child.id] = nil
    end
    self:write({ type = "response", request_seq = message.seq, command = message.command, success = true })
  elseif message.command == "runInTerminal" then
    self:run_in_terminal(message)
  end
end

-- The terminal of a program that ended is the next one's.
local free_terminal

function Session:run_in_terminal(message)
  local buf, win = free_terminal, vim.api.nvim_get_current_win()
  free_terminal = nil
  if not buf then
    vim.cmd("belowright new")
    buf = vim.api.nvim_get_current_buf()
    vim.api.nvim_set_current_win(win)
  end
  self.term_buf = buf
  vim.api.nvim_buf_call(buf, function()
    vim.bo.modified = false
    local start = vim.fn.has("nvim-0.11") == 1 and vim.fn.jobstart or vim.fn.termopen
    start(message.arguments.args, {
      term = vim.fn.has("nvim-0.11") == 1 or nil,
      on_exit = function()
        free_terminal = buf
      end,
    })
  end)
  self:write({ type = "response", request_seq = message.seq, command = message.command, success = true, body = {} })
end

function Session:set_breakpoints(by_buffer, done)
  local left = vim.tbl_count(by_buffer)
  if left == 0 and done then
    done()
  end
  for buf, list in pairs(by_buffer) do
    local path = vim.api.nvim_buf_get_name(buf)
    self:request("setBreakpoints", {
      source = { path = path, name = vim.fs.basename(path) },
      breakpoints = vim.tbl_map(function(bp)
        return {
          line = bp.line,
          column = bp.column,
          condition = bp.condition,
          hitCondition = bp.hitCondition,
          logMessage = bp.logMessage,
        }
      end, list),
    }, function(_, body)
      for _, state in ipairs(body and body.breakpoints or {}) do
        require("dap.breakpoints").set_state(buf, state)
      end
      left = left - 1
      if left == 0 and done then
        done()
      end
    end)
  end
end

function Session:event_initialized()
  self:set_breakpoints(require("dap.breakpoints").get(), function()
    if not self.capabilities.supportsConfigurationDoneRequest then
      self.initialized = true
      return
    end
    self:request("configurationDone", nil, function()
      self.initialized = true
    end)
  end)
end

function Session:event_stopped(stopped)
  self:request("threads", nil, function(_, body)
    self.threads = {}
    for _, thread in ipairs(body and body.threads or {}) do
      self.threads[thread.id] = thread
      thread.stopped = thread.id == stopped.threadId or stopped.allThreadsStopped
    end
    if self.stopped_thread_id and self.stopped_thread_id ~= stopped.threadId then
      -- The user is in another thread that is paused.
      if dap().defaults[self.config.type].auto_continue_if_many_stopped then
        self:request("continue", { threadId = stopped.threadId })
      end
      return
    end
    self.stopped_thread_id = stopped.threadId
    if not stopped.threadId then
      return
    end
    self:request("stackTrace", { startFrame = 0, threadId = stopped.threadId }, function(_, stack)
      local frame = stack and stack.stackFrames[1]
      self.current_frame = frame
      if frame and frame.source and not stopped.preserveFocusHint then
        vim.cmd.edit(vim.fn.fnameescape(frame.source.path))
        vim.api.nvim_win_set_cursor(0, { frame.line, 0 })
      end
    end)
  end)
end

function Session:event_continued()
  self.stopped_thread_id, self.current_frame = nil, nil
end

function Session:event_terminated()
  self:close()
end

function Session:disconnect(opts, callback)
  local done
  local function finish(err)
    if not done then
      done = true
      self:close()
      callback(err)
    end
  end
  self:request("disconnect", opts, finish)
  vim.defer_fn(function()
    finish({ message = "disconnect timed out" })
  end, 3000)
end

function Session:close()
  self.closed = true
  for _, f in pairs(self.on_close) do
    f(self)
  end
  self.on_close = {}
  if not self.stdin:is_closing() then
    self.stdin:close()
  end
end

function Session.spawn(adapter, config, opts, parent)
  last_id = last_id + 1
  local stdin, stdout = assert(uv.new_pipe()), assert(uv.new_pipe())
  local self = setmetatable({
    id = last_id,
    seq = 1,
    config = config,
    adapter = adapter,
    parent = parent,
    filetype = opts.filetype,
    capabilities = {},
    callbacks = {},
    arguments = {},
    threads = {},
    children = {},
    on_close = {},
    closed = false,
    initialized = false,
    sign_group = "dap-" .. last_id,
    stdin = stdin,
  }, Session)
  local handle
  handle = uv.spawn(adapter.command, { args = adapter.args, stdio = { stdin, stdout, nil } }, function()
    handle:close()
    if not self.closed then
      self:close()
    end
  end)
  if not handle then
    return vim.notify("cannot run " .. adapter.command, vim.log.levels.ERROR)
  end
  local feed = reader(vim.schedule_wrap(function(text)
    self:take(vim.json.decode(text, { luanil = { object = true } }))
  end))
  stdout:read_start(function(_, chunk)
    if chunk then
      feed(chunk)
    elseif not stdout:is_closing() then
      stdout:close()
    end
  end)
  self:request("initialize", { adapterID = config.type }, function(_, body)
    self.capabilities = body or {}
    self:request(config.request, config, function(err)
      if err then
        self:close()
      end
    end)
  end)
  return self
end

return Session
