--- What a tool evaluates in the program besides what it is for. The user is asked, as they are of
--- dap_evaluate, unless a rule of theirs is about it; the daemon, which asks of tools, does not know
--- what arguments mean.

local calls = require("mcp-tools.tools.dap.call")
local cut = require("mcp-tools.cut")
local kept = require("mcp-tools.tools.dap.kept")
local names = require("mcp-tools.permissions.names")

local M = {}

--- How long the user may take to answer, and bytes of each text that they are shown.
M.answer_ms, M.max_shown = 10 * 60 * 1000, 400

--- Tools whose rules count: who lets a client evaluate lets it do so in any way.
local evaluates = "dap_evaluate"

--- Whether a rule settles it: one that allows, or by which the daemon has asked.
local function is_settled(tool, path)
  return vim.iter(require("mcp-tools.permissions").rules()):any(function(rule)
    local is_its = names.mean(rule.tool, tool) and (not rule.paths or kept.is_about(rule, path))
    return is_its or names.mean(rule.tool, evaluates) and rule.action == "allow" and not rule.paths
  end)
end

--- Asks the user whether texts may be evaluated; unless they allow it, the call fails.
---@param call mcp_tools.lsp.Call
---@param where string Where the program evaluates them
---@param path string
---@param texts string[]
---@return boolean asked
function M.need(call, where, path, texts)
  if #texts == 0 or is_settled(call.name, path) then
    return false
  end
  local function deny(why)
    local remedy = 'The user can allow it with the option permissions of mcp-tools, for example { ["%s"] = "allow" }'
    local name = names.prefix .. call.name
    call:fail(("%s was denied: %s. %s"):format(name, why, remedy:format(name)))
  end
  if #vim.api.nvim_list_uis() == 0 then
    deny("nobody is there to be asked whether the program may evaluate " .. texts[1])
  end
  local shown = vim.tbl_map(function(text)
    return cut.marked(text, M.max_shown)
  end, texts)
  local prompt = ("Have the program evaluate at %s: %s"):format(where, table.concat(shown, "; "))
  local choices, cancel = { "Allow once", "Deny" }, nil
  local function begin(finish)
    cancel = require("mcp-tools.question").select(call.name, choices, { prompt = prompt }, function(_, n)
      finish({ allowed = n == 1 })
    end)
    call:on_stop(cancel)
  end
  local answer = calls.await(call, function()
    return nil
  end, { ms = calls.limit(call, M.answer_ms, M.answer_ms), begin = begin, message = "The user is asked" })
  if not answer then
    cancel()
  end
  if not answer or not answer.allowed then
    deny(answer and "the user said no" or "the user has not answered")
  end
  return true
end

return M
