local M = { json_decode = vim.json.decode }

function M.getconfigs()
  local file = io.open(vim.fn.getcwd() .. "/.vscode/launch.json")
  if not file then
    return {}
  end
  local text = file:read("*a")
  file:close()
  return M.json_decode(text).configurations
end

return M
