--- The choice of Claude's model.

local M = {}

--- Lets the user choose one, and opens Claude with it.
---@param args? string More arguments for Claude
function M.pick(args)
  local models = require("claudecode").state.config.models
  vim.ui.select(models, {
    prompt = "Select Claude model:",
    format_item = function(model)
      return model.name
    end,
  }, function(model)
    if model then
      local quoted = require("claudecode.terminal.command").quote(model.value)
      require("claudecode.terminal").open({}, vim.trim(("--model %s %s"):format(quoted, args or "")))
    end
  end)
end

return M
