--- Code actions: which there are, and one of them as an edit that the user reviews.

local command = require("mcp-tools.tools.lsp.command")
local edits = require("mcp-tools.tools.lsp.edits")
local position = require("claudecode.position")
local review = require("mcp-tools.tools.lsp.review")
local servers = require("mcp-tools.tools.lsp.servers")
local target = require("mcp-tools.tools.lsp.target")

local M = {}

---@class (exact) mcp_tools.lsp.Span
---@field first mcp_tools.lsp.Place
---@field last mcp_tools.lsp.Place

--- The range that the arguments name: one place unless they name its end.
local function span_of(call, buf, args)
  local first = target.place(call, buf, args)
  if args.end_line == nil and args.end_col == nil then
    return { first = first, last = first }
  end
  local line = target.integer(call, args, "end_line", 1) or first.line + 1
  local last = target.place(call, buf, { line = line, col = target.integer(call, args, "end_col", 1) or 2147483647 })
  if last.line < first.line or last.line == first.line and last.column < first.column then
    call:fail("The end is before the start")
  end
  return { first = first, last = last }
end

--- Whether a diagnostic is one of the client's, which Neovim names its namespaces after, on lines of
--- the range.
local function concerns(diagnostic, client, span)
  local namespace = (vim.diagnostic.get_namespace(diagnostic.namespace).name or ""):gsub("^nvim", "vim")
  local owner = ("vim.lsp.%s.%d"):format(client.name, client.id)
  local is_its = namespace == owner or vim.startswith(namespace, owner .. ".")
  local ends = diagnostic.end_lnum or diagnostic.lnum
  return is_its and diagnostic.lnum <= span.last.line and ends >= span.first.line
end

--- The client's diagnostics on the lines of the range, as it sent them.
local function diagnostics_of(buf, client, span)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(buf)) do
    local original = vim.tbl_get(diagnostic, "user_data", "lsp")
    if original and original.range and concerns(diagnostic, client, span) then
      table.insert(found, original)
    end
  end
  return found
end

local function params_of(buf, client, span, only)
  local function at(place)
    return {
      line = place.line,
      character = position.to_units(place.text, place.column, client.offset_encoding),
    }
  end
  return {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    range = { start = at(span.first), ["end"] = at(span.last) },
    context = { diagnostics = diagnostics_of(buf, client, span), only = only and { only } or nil, triggerKind = 1 },
  }
end

---@class (exact) mcp_tools.lsp.Action
---@field client vim.lsp.Client
---@field action table A CodeAction or a Command

---@return mcp_tools.lsp.Action[]
---@return integer buf
local function find(call, args)
  local only = target.text(call, args, "kind")
  local buf = target.buffer(call, args)
  local span = span_of(call, buf, args)
  local found = {}
  local answers = servers.ask_able(call, "textDocument/codeAction", buf, function(client)
    return params_of(buf, client, span, only)
  end)
  for _, answer in ipairs(answers) do
    for _, action in ipairs(answer.result) do
      table.insert(found, { client = answer.client, action = action })
      call:pause()
    end
  end
  return found, buf
end

---@param call mcp_tools.WaitingCall
function M.list(call, args)
  local entries, seen = {}, {}
  for _, found in ipairs((find(call, args))) do
    local action = found.action
    local key = ("%s\0%s"):format(action.title, action.kind or "")
    if not seen[key] then
      seen[key] = true
      table.insert(entries, {
        title = action.title,
        kind = action.kind,
        preferred = action.isPreferred,
        disabled = action.disabled and action.disabled.reason,
        server = found.client.name,
      })
    end
  end
  return entries
end

--- The action with a title.
local function choose(call, all, title)
  local titles = {}
  for _, found in ipairs(all) do
    if found.action.title == title then
      local disabled = found.action.disabled
      if disabled then
        call:fail(("%q cannot be applied: %s"):format(title, disabled.reason))
      end
      return found
    end
    table.insert(titles, ("%q"):format(found.action.title))
  end
  local offer = #titles > 0 and "; there are " .. table.concat(titles, ", ") or ""
  call:fail(("There is no code action %q at this place%s"):format(title, offer))
end

--- An action with its edit, which a server may leave out until it is asked for.
local function resolve(call, buf, found)
  local action, client = found.action, found.client
  local is_command = type(action.command) == "string"
  if action.edit or is_command or not servers.supports(client, "codeAction/resolve", buf) then
    return action
  end
  local question = { client = client, params = action }
  local answers = servers.ask(call, "codeAction/resolve", buf, { question })
  return answers[1] and answers[1].result or action
end

---@param call mcp_tools.WaitingCall
function M.apply(call, args)
  local title = target.text(call, args, "title")
  if not title then
    call:fail("title is missing")
  end
  local ticks = edits.ticks()
  local all, buf = find(call, args)
  local found = choose(call, all, title)
  local action = resolve(call, buf, found)
  local outcome = review.none()
  if action.edit then
    review.edit(call, outcome, found.client, action.edit, ticks)
  end
  local its_command = type(action.command) == "string" and action or action.command
  if its_command and #outcome.rejected + #(outcome.failed or {}) > 0 then
    call:note("Its command was not run, because its edit was not made as a whole")
  elseif its_command then
    for _, edit in ipairs(command.run(call, found.client, buf, its_command)) do
      review.edit(call, outcome, found.client, edit.edit, edit.ticks)
    end
  end
  if review.is_none(outcome) then
    call:note("No file was changed")
  end
  return outcome
end

return M
