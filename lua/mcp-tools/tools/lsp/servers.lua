--- Questions to language servers: whom to ask, and what is made of those that do not answer.

local language_servers = require("claudecode.language_servers")
local names = require("mcp-tools.tools.lsp.names")

local M = {}

local api = vim.api

--- What a server calls its ability to answer a request.
local capabilities = {
  ["callHierarchy/incomingCalls"] = "callHierarchyProvider",
  ["callHierarchy/outgoingCalls"] = "callHierarchyProvider",
  ["codeAction/resolve"] = "codeActionProvider.resolveProvider",
  ["textDocument/codeAction"] = "codeActionProvider",
  ["textDocument/declaration"] = "declarationProvider",
  ["textDocument/definition"] = "definitionProvider",
  ["textDocument/documentSymbol"] = "documentSymbolProvider",
  ["textDocument/hover"] = "hoverProvider",
  ["textDocument/implementation"] = "implementationProvider",
  ["textDocument/prepareCallHierarchy"] = "callHierarchyProvider",
  ["textDocument/references"] = "referencesProvider",
  ["textDocument/rename"] = "renameProvider",
  ["textDocument/signatureHelp"] = "signatureHelpProvider",
  ["textDocument/typeDefinition"] = "typeDefinitionProvider",
  ["workspace/diagnostic"] = "diagnosticProvider.workspaceDiagnostics",
  ["workspace/symbol"] = "workspaceSymbolProvider",
}

--- ContentModified and ServerCancelled: the server was disturbed, and is asked again after a while.
local disturbed, again_ms = { [-32801] = true, [-32802] = true }, 100

local is_0_11 = vim.fn.has("nvim-0.11") == 1

--- Whether a server answers a request, about a buffer if one is given.
---@param client vim.lsp.Client
---@param method string
---@param buf? integer
function M.supports(client, method, buf)
  if is_0_11 then
    return client:supports_method(method, buf)
  elseif method == "workspace/diagnostic" then
    -- Neovim 0.10 does not know that this needs a capability.
    return vim.tbl_get(client.server_capabilities, "diagnosticProvider", "workspaceDiagnostics") == true
  end
  return client.supports_method(method, buf and { bufnr = buf })
end

local function name_of(client)
  return client.name
end

local function is_gone(client)
  return vim.lsp.get_client_by_id(client.id) == nil or language_servers.call(client, "is_stopped")
end

--- Calls f whenever a server may have started or ended.
---@return fun() stop
local function follow(f)
  local autocmd = api.nvim_create_autocmd({ "LspAttach", "LspDetach" }, {
    callback = function()
      vim.schedule(f)
      vim.defer_fn(f, 10) -- a client is still known when it tells that it left
    end,
  })
  return function()
    pcall(api.nvim_del_autocmd, autocmd)
  end
end

--- Calls f after so many milliseconds, unless it is stopped before.
---@return fun() stop
local function alarm(ms, f)
  local timer = vim.defer_fn(f, ms)
  return function()
    if not timer:is_closing() then
      timer:close()
    end
  end
end

--- Waits until check() holds, for so long at most. It is looked at whenever a server came or went,
--- and when what start() is given is called.
---@param call mcp_tools.WaitingCall
---@param limit_ms integer
---@param check fun(): boolean
---@param start? fun(look: fun())
local function wait_for(call, limit_ms, check, start)
  call:await(function(resume)
    local stops = {}
    local function stop()
      for _, f in ipairs(stops) do
        f()
      end
    end
    local forget = call:on_stop(stop)
    local function finish()
      forget()
      stop()
      resume()
    end
    local function look()
      if not call.ended and check() then
        finish()
      end
    end
    stops = { follow(look), alarm(limit_ms, finish) }
    if start then
      start(look)
    end
    look()
  end)
end

--- The servers of a buffer that have started, or all of the editor. Those that are starting are waited
--- for, and leave half of the time for the answers.
---@param call mcp_tools.WaitingCall
---@param buf? integer
---@return vim.lsp.Client[]
function M.started(call, buf)
  local function all()
    return require("claudecode.lsp").clients({ bufnr = buf, _uninitialized = true })
  end
  local function is_starting(client)
    return not client.initialized and not is_gone(client)
  end
  wait_for(call, math.floor(call:left_ms() / 2), function()
    return not vim.iter(all()):any(is_starting)
  end)
  local ready = {}
  for _, client in ipairs(all()) do
    if client.initialized then
      table.insert(ready, client)
    else
      call:note(client.name .. " is still starting")
    end
  end
  table.sort(ready, function(a, b)
    return a.id < b.id
  end)
  return ready
end

--- The servers that answer a request, at least one.
---@param call mcp_tools.WaitingCall
---@param method string
---@param buf? integer nil for those of all buffers
---@return vim.lsp.Client[]
function M.able(call, method, buf)
  local clients = M.started(call, buf)
  local able = vim.tbl_filter(function(client)
    return M.supports(client, method, buf)
  end, clients)
  if #able > 0 then
    return able
  elseif #clients == 0 then
    local what = buf and names.buffer(buf) or "this editor"
    call:fail(#call.notes > 0 and table.concat(call.notes, "\n") or "No language server serves " .. what)
  end
  local who = table.concat(vim.tbl_map(name_of, clients), ", ")
  local word = #clients == 1 and "does" or "do"
  call:fail(("%s %s not support %s (%s)"):format(who, word, method, capabilities[method]))
end

---@class (exact) mcp_tools.lsp.Question
---@field client vim.lsp.Client
---@field params any

---@class (exact) mcp_tools.lsp.Answer
---@field client vim.lsp.Client
---@field question mcp_tools.lsp.Question
---@field result any never null

--- Sends one question and calls settle(problem, result) at most once, if that did not come first.
---@return fun() cancel
local function send(call, method, buf, question, settle)
  local client, settled, request = question.client, false, nil
  local function once(problem, result)
    if not settled then
      settled = true
      settle(problem, result)
    end
  end
  local function try()
    if settled then
      return
    end
    local ok, sent, id = pcall(language_servers.call, client, "request", method, question.params, function(err, result)
      request = nil
      if err and disturbed[err.code] and call:left_ms() > again_ms then
        vim.defer_fn(try, again_ms)
      elseif err then
        once(("%s: %s"):format(client.name, err.message or "error " .. tostring(err.code)))
      else
        once(nil, result)
      end
    end, buf)
    if not ok then
      once(("%s: %s"):format(client.name, tostring(sent)))
    elseif not sent then
      once(client.name .. " has stopped")
    elseif not settled then
      request = id
    end
  end
  try()
  return function()
    settled = true
    if request and not is_gone(client) then
      pcall(language_servers.call, client, "cancel_request", request)
    end
  end
end

--- Asks all questions at once and waits for the answers. What a server did not answer in time is
--- cancelled there.
---@param call mcp_tools.WaitingCall
---@param method string
---@param buf integer
---@param questions mcp_tools.lsp.Question[]
---@return mcp_tools.lsp.Answer[] answers In the order of the questions, without those that are null
---@return string[] problems One for each question without an answer
function M.try(call, method, buf, questions)
  local results, problems, cancels = {}, {}, {}
  local open = {} ---@type table<integer, true>
  local forget = call:on_stop(function()
    for i in pairs(open) do
      cancels[i]()
    end
  end)
  local function give_up(i, why)
    open[i] = nil
    problems[i] = ("%s %s"):format(questions[i].client.name, why)
    cancels[i]()
  end
  local limit = call:left_ms()
  local function begin(look)
    for i, question in ipairs(questions) do
      open[i] = true
      cancels[i] = send(call, method, buf, question, function(problem, result)
        open[i], results[i], problems[i] = nil, result, problem
        look()
      end)
    end
  end
  wait_for(call, limit, function()
    for i in pairs(open) do
      if cancels[i] and is_gone(questions[i].client) then
        give_up(i, "left before it answered " .. method)
      end
    end
    return #cancels == #questions and next(open) == nil
  end, begin)
  for i in pairs(open) do
    give_up(i, ("did not answer %s within %.1f s"):format(method, limit / 1000))
  end
  forget()
  local answers, told = {}, {}
  for i, question in ipairs(questions) do
    table.insert(told, problems[i])
    if results[i] ~= nil and results[i] ~= vim.NIL then
      table.insert(answers, { client = question.client, question = question, result = results[i] })
    end
  end
  return answers, told
end

--- As try(); what is missing is told to the client, as an error if nothing is there.
---@return mcp_tools.lsp.Answer[]
function M.ask(call, method, buf, questions)
  local answers, problems = M.try(call, method, buf, questions)
  if #answers == 0 and #problems > 0 then
    call:fail(table.concat(problems, "\n"))
  end
  for _, problem in ipairs(problems) do
    call:note(problem)
  end
  return answers
end

--- Asks every server that answers this request.
---@param params fun(client: vim.lsp.Client): any
---@return mcp_tools.lsp.Answer[]
function M.ask_able(call, method, buf, params)
  return M.ask(
    call,
    method,
    buf,
    vim.tbl_map(function(client)
      return { client = client, params = params(client) }
    end, M.able(call, method, buf))
  )
end

return M
