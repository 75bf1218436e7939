--- openDiff: shows an edit that Claude proposes, and answers once the user decided, whenever that
--- is. It waits by itself for a moment in which windows may open, so that it can be closed again
--- meanwhile.

local paths = require("claudecode.paths")

local required = { "old_file_path", "new_file_path", "new_file_contents", "tab_name" }

return {
  execute = function(cb, args, ctx)
    for _, name in ipairs(required) do
      if type(args[name]) ~= "string" then
        return cb(nil, { code = -32602, message = "Invalid params", data = "Missing required parameter: " .. name })
      end
    end
    local old_path = paths.absolute(paths.expand_home(args.old_file_path))
    local new_path = paths.absolute(paths.expand_home(args.new_file_path))
    if args.new_file_path == "" or vim.fn.isdirectory(new_path) == 1 then
      return cb(nil, { code = -32602, message = "Invalid params", data = "new_file_path is no path of a file" })
    end
    ctx.on_cancel(require("claudecode.diff").propose({
      tab_name = args.tab_name,
      old_path = old_path,
      new_path = new_path,
      text = args.new_file_contents,
      client = ctx.client,
    }, cb))
  end,
}
