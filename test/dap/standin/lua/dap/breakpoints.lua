-- Breakpoints are signs of a group, with what else is known of each by the sign's id.
local M = {}

local group = "dap_breakpoints"
local known = {}

for _, name in ipairs({ "DapBreakpoint", "DapStopped" }) do
  vim.fn.sign_define(name, { text = "B" })
end

local function placed(buf, line)
  return vim.fn.sign_getplaced(buf, { group = group, lnum = line })[1].signs
end

function M.remove(buf, line)
  local signs = placed(buf, line)
  for _, sign in ipairs(signs) do
    vim.fn.sign_unplace(group, { buffer = buf, id = sign.id })
    known[sign.id] = nil
  end
  return #signs > 0
end

function M.set(opts, buf, line)
  M.remove(buf, line)
  local id = vim.fn.sign_place(0, group, "DapBreakpoint", buf, { lnum = line })
  known[id] = { condition = opts.condition, hitCondition = opts.hit_condition, logMessage = opts.log_message }
end

function M.get(buf)
  local result = {}
  for _, one in ipairs(buf and { buf } or vim.api.nvim_list_bufs()) do
    local signs = placed(one)
    if buf or #signs > 0 then
      result[one] = vim.tbl_map(function(sign)
        return vim.tbl_extend("force", { buf = one, line = sign.lnum }, known[sign.id] or {})
      end, signs)
    end
  end
  return result
end

function M.set_state(buf, state)
  for _, sign in ipairs(state.line and placed(buf, state.line) or {}) do
    (known[sign.id] or {}).state = state
  end
end

function M.clear()
  vim.fn.sign_unplace(group)
  known = {}
end

return M
