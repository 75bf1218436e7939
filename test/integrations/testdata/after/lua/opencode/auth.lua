-- The credentials of an OpenCode with a password.

return {
  get_auth_headers = function()
    return { Authorization = "Basic " .. vim.base64.encode("opencode:secret") }
  end,
}
