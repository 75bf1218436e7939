-- A language server inside the editor. Each line "error TEXT" of a document is an error.
-- Returned is a table that says what it does:
--
--   publish   "versions", "plain" (no versions) or false (it reports on request)
--   clears    whether it reports an empty list when a document is closed
--   held      whether reports wait for release()
--   mute      whether it never answers
--   starting  whether it is never done with starting
--   on_save   whether it checks only what was opened first, and what was saved
--   at_once   whether it reports before a notification has returned, as only a server inside can
--   saved     the texts that it was told were saved
local server = {
  publish = "versions",
  clears = false,
  held = false,
  mute = false,
  starting = false,
  on_save = false,
  at_once = false,
  kept = {},
  documents = {},
  saved = {},
}

local function items(text)
  local found = {}
  for number, line in ipairs(vim.split(text, "\n")) do
    local message = line:match("^error (.*)")
    if message then
      local range = { start = { line = number - 1, character = 0 }, ["end"] = { line = number - 1, character = #line } }
      table.insert(found, { range = range, message = message, severity = 1, source = "fake" })
    end
  end
  return found
end

-- A server in a process of its own is never faster.
local function soon(f)
  if server.at_once then
    return f()
  end
  vim.schedule(function()
    vim.schedule(f)
  end)
end

local function later(f)
  if server.mute then
    return
  elseif server.held then
    return table.insert(server.kept, f)
  end
  soon(f)
end

function server.release()
  local kept = server.kept
  server.kept, server.held = {}, false
  for _, f in ipairs(kept) do
    soon(f)
  end
end

-- Tells the editor something about a document by itself.
function server.report(uri, text, version)
  server.dispatchers.notification("textDocument/publishDiagnostics", {
    uri = uri,
    diagnostics = items(text),
    version = version,
  })
end

local function check(document)
  if server.publish then
    later(function()
      server.report(document.uri, document.text, server.publish == "versions" and document.version or nil)
    end)
  end
end

local function sent(document)
  local first = server.documents[document.uri] == nil
  server.documents[document.uri] = document
  if first or not server.on_save then
    check(document)
  end
end

local notified = {
  ["textDocument/didOpen"] = function(params)
    sent(params.textDocument)
  end,
  ["textDocument/didChange"] = function(params)
    local document = params.textDocument
    sent({ uri = document.uri, version = document.version, text = params.contentChanges[1].text })
  end,
  ["textDocument/didSave"] = function(params)
    table.insert(server.saved, params.text)
    if server.on_save then
      check(server.documents[params.textDocument.uri])
    end
  end,
  ["textDocument/didClose"] = function(params)
    if server.clears then
      soon(function()
        server.report(params.textDocument.uri, "")
      end)
    end
  end,
}

local reporting = { interFileDependencies = false, workspaceDiagnostics = false }

local asked = {
  initialize = function()
    return {
      capabilities = {
        textDocumentSync = { openClose = true, change = 1, save = { includeText = true } },
        diagnosticProvider = not server.publish and reporting or nil,
      },
    }
  end,
  ["textDocument/diagnostic"] = function(params)
    return { kind = "full", items = items(server.documents[params.textDocument.uri].text) }
  end,
}

local last_id = 0

function server.start(dispatchers)
  server.dispatchers = dispatchers
  local closing = false
  return {
    request = function(method, params, callback)
      last_id = last_id + 1
      local answer = asked[method] or function() end
      local function respond()
        callback(nil, answer(params))
      end
      if method == "textDocument/diagnostic" then
        later(respond)
      elseif not (method == "initialize" and server.starting) then
        vim.schedule(respond)
      end
      return true, last_id
    end,
    notify = function(method, params)
      if notified[method] then
        notified[method](params)
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
    end,
  }
end

-- Dies, as a process of its own may.
function server.die()
  server.dispatchers.on_exit(1, 0)
end

-- Runs it for the files of the project that have the type "fake".
function server.run()
  vim.filetype.add({ extension = { fake = "fake" } })
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "fake",
    callback = function(event)
      local config = { name = "fakels", cmd = server.start, root_dir = vim.fn.getcwd(), filetypes = { "fake" } }
      -- Unless it reports at once it passes for a process.
      config.before_init = function(_, known)
        known.cmd = server.at_once and known.cmd or { "fakels" }
      end
      vim.lsp.start(config, { bufnr = event.buf })
    end,
  })
end

return server
