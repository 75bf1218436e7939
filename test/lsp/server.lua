-- Scripted language servers inside the editor. A server is a table:
--
--   name       what it is called
--   encoding   in which it counts columns: "utf-8", "utf-16" (default) or "utf-32"
--   can        its capabilities
--   answers    by method, what it answers, or a function of the parameters that returns
--              the answer, or nil and an error; methods of which it has none stay unanswered
--   asked      every request that it got: { method, params, id }
--   cancelled  the methods of those that were cancelled
--   told       every notification that it got, by method
--   heard      called with each of those
--   starting   whether it is never done with starting
--   die()      ends it
local M = {}

local last_id = 0

-- A server in a process of its own is never faster.
function M.soon(f)
  vim.schedule(function()
    vim.schedule(f)
  end)
end

local function respond(server, method, params, callback, id, replied)
  local answer = server.answers[method]
  if method == "initialize" and server.starting then
    return
  elseif method == "initialize" then
    local can = vim.tbl_extend("keep", server.can or {}, {
      textDocumentSync = { openClose = true, change = 1 },
      positionEncoding = server.encoding,
    })
    answer = { capabilities = can }
  elseif method == "shutdown" then
    answer = vim.NIL
  end
  if answer == nil then
    return
  end
  M.soon(function()
    local err
    if type(answer) == "function" then
      answer, err = answer(params)
    end
    if replied then
      replied(id)
    end
    callback(err, answer)
  end)
end

local function start(server, dispatchers)
  server.dispatchers = dispatchers
  local closing = false
  function server.die()
    if not closing then
      closing = true
      dispatchers.on_exit(1, 9)
    end
  end
  return {
    request = function(method, params, callback, replied)
      last_id = last_id + 1
      table.insert(server.asked, { method = method, params = params, id = last_id })
      respond(server, method, params, callback, last_id, replied)
      return true, last_id
    end,
    notify = function(method, params)
      server.told[method] = server.told[method] or {}
      table.insert(server.told[method], params)
      if server.heard then
        server.heard(method, params)
      end
      if method == "exit" then
        server.die()
      elseif method == "$/cancelRequest" then
        for _, request in ipairs(server.asked) do
          if request.id == params.id then
            table.insert(server.cancelled, request.method)
          end
        end
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = server.die,
  }
end

-- Starts a server for the current buffer, and for every buffer of its file type.
function M.start(server)
  server.answers = server.answers or {}
  server.asked, server.cancelled, server.told = {}, {}, {}
  M[server.name] = server
  local config = {
    name = server.name,
    cmd = function(dispatchers)
      return start(server, dispatchers)
    end,
    root_dir = vim.fn.getcwd(),
    filetypes = { "fake" },
  }
  local function attach(buf)
    server.id = vim.lsp.start(config, { bufnr = buf })
  end
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "fake",
    callback = function(event)
      attach(event.buf)
    end,
  })
  if vim.bo.filetype == "fake" then
    attach(vim.api.nvim_get_current_buf())
  end
end

-- A range within one line, or from one to another.
function M.range(line, first, last, last_line)
  return { start = { line = line, character = first }, ["end"] = { line = last_line or line, character = last } }
end

function M.uri(name)
  return vim.uri_from_fname(vim.fn.getcwd() .. "/" .. name)
end

function M.at(name, line, first, last)
  return { uri = M.uri(name), range = M.range(line, first, last or first) }
end

return M
