--- openDiff: would show an edit that Claude proposes. It fails, and Claude asks the user in its
--- own terminal instead.

local tools = require("claudecode.tools")

local required = { "old_file_path", "new_file_path", "new_file_contents", "tab_name" }

return {
  name = "openDiff",
  description = "Show a proposed edit of a file as a diff, and wait until the user accepts or rejects it",
  input_schema = tools.schema({
    old_file_path = { type = "string", description = "Path of the file to compare with" },
    new_file_path = { type = "string", description = "Path of the file that the edit is for" },
    new_file_contents = { type = "string", description = "Text of the file after the edit" },
    tab_name = { type = "string", description = "Name of the diff" },
  }, required),
  ide = true,
  execute = function(cb, args)
    for _, name in ipairs(required) do
      if type(args[name]) ~= "string" then
        return cb(nil, { code = -32602, message = "Invalid params", data = "Missing required parameter: " .. name })
      end
    end
    local data = "Failed to setup diff operation: this editor cannot show diffs"
    cb(nil, { code = -32000, message = "Diff setup failed", data = data })
  end,
}
