local M = {}

function M.getconfigs()
  local file = io.open(vim.fn.getcwd() .. "/.vscode/launch.json")
  if not file then
    return {}
  end
  local text = file:read("*a")
  file:close()
  return vim.json.decode(text).configurations
end

return M
