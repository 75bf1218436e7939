--- What servers say about a place: hover, and the signatures of the call there.

local position = require("claudecode.position")
local servers = require("mcp-tools.tools.lsp.servers")
local target = require("mcp-tools.tools.lsp.target")

local M = {}

--- A text of a server and its kind, from MarkupContent, a MarkedString or a list of those.
---@return string text
---@return string? kind
local function read(contents)
  if type(contents) == "string" then
    return contents
  elseif vim.islist(contents) then
    local parts = {}
    for _, part in ipairs(contents) do
      table.insert(parts, (read(part)))
    end
    return table.concat(parts, "\n\n"), "markdown"
  elseif contents.language then
    return ("```%s\n%s\n```"):format(contents.language, contents.value), "markdown"
  end
  return contents.value or "", contents.kind
end

---@param call mcp_tools.WaitingCall
function M.hover(call, args)
  local buf = target.buffer(call, args)
  local place = target.place(call, buf, args)
  local answers = servers.ask_able(call, "textDocument/hover", buf, function(client)
    return target.params(client, buf, place)
  end)
  local parts, kind = {}, nil
  for _, answer in ipairs(answers) do
    local text, its_kind = read(answer.result.contents or "")
    text = vim.trim(text)
    if text ~= "" and not vim.list_contains(parts, text) then
      table.insert(parts, text)
      kind = kind == "markdown" and kind or its_kind
    end
  end
  if #parts == 0 then
    call:fail(table.concat(vim.list_extend({ "No hover information available" }, call.notes), "\n"))
  end
  return { hover = table.concat(parts, "\n\n---\n\n"), kind = kind }
end

--- The text of a parameter, whose label may be a part of the signature's.
local function parameter_of(label, parameter, encoding)
  local at = parameter and parameter.label
  if type(at) ~= "table" then
    return at
  end
  local first = position.from_units(label, at[1], encoding)
  return label:sub(first + 1, position.from_units(label, at[2], encoding))
end

local function documentation_of(signature)
  local text = signature.documentation and vim.trim((read(signature.documentation))) or ""
  return text ~= "" and text or nil
end

local function signature_of(help, index, encoding)
  local signature = help.signatures[index]
  local is_active = index == (help.activeSignature or 0) + 1
  local parameter = (signature.activeParameter or help.activeParameter or 0) + 1
  return {
    label = signature.label,
    documentation = documentation_of(signature),
    active = is_active or nil,
    parameter = is_active and parameter_of(signature.label, (signature.parameters or {})[parameter], encoding) or nil,
  }
end

--- The signatures that servers name at a place, each once.
local function signatures_at(call, buf, place)
  local answers = servers.ask_able(call, "textDocument/signatureHelp", buf, function(client)
    return target.params(client, buf, place)
  end)
  local found, seen = {}, {}
  for _, answer in ipairs(answers) do
    for index, signature in ipairs(answer.result.signatures or {}) do
      if not seen[signature.label] then
        seen[signature.label] = true
        table.insert(found, signature_of(answer.result, index, answer.client.offset_encoding))
      end
    end
  end
  return found
end

---@param call mcp_tools.WaitingCall
function M.signature(call, args)
  local buf = target.buffer(call, args)
  local place = target.place(call, buf, args, true)
  local found = signatures_at(call, buf, place)
  if #found == 0 and args.symbol and place.text:sub(place.column, place.column) == "(" then
    -- Where an argument begins some servers only see that; the bracket is the call's.
    place.column = place.column - 1
    found = signatures_at(call, buf, place)
  end
  return found
end

return M
