-- Greets with the words of settings.json.

local file = assert(io.open("settings.json"))
local settings = vim.json.decode(file:read("a"))
file:close()

print(settings.greeting .. ", " .. settings.name .. "!")
