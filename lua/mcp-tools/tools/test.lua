--- Two small tools to try a client with: one that answers at once, one that asks the user.

local question = require("mcp-tools.question")
local touches = require("mcp-tools.permissions.touches")

local api = vim.api

local prompt = {
  name = "test_async_prompt",
  description = "Ask the user to choose one of some options, and answer once that is done",
  args = {
    prompt = { type = "string", description = "The question", required = true },
    options = {
      type = "array",
      description = "What to choose from",
      items = { type = "string" },
      required = true,
    },
  },
  paths = touches.none,
  annotations = { title = "Ask the user", readOnlyHint = true },
  timeout = 0,
  execute = function(cb, args, ctx)
    if type(args.options) ~= "table" or #args.options == 0 then
      return cb(nil, "Options array is required and must not be empty")
    end
    ctx.on_cancel(question.select("test_async_prompt", args.options, { prompt = args.prompt }, function(choice, index)
      cb(choice and { selected = choice, index = index } or { cancelled = true })
    end))
  end,
}

local buffers = {
  name = "test_sync_buffers",
  description = "List the loaded buffers",
  args = {},
  paths = touches.none,
  annotations = { title = "List loaded buffers", readOnlyHint = true },
  execute = function(cb)
    local found = {}
    for _, buf in ipairs(vim.tbl_filter(api.nvim_buf_is_loaded, api.nvim_list_bufs())) do
      local bo, name = vim.bo[buf], api.nvim_buf_get_name(buf)
      table.insert(found, {
        bufnr = buf,
        name = name == "" and "[No Name]" or name,
        buftype = bo.buftype,
        filetype = bo.filetype,
        modified = bo.modified,
        readonly = bo.readonly,
        line_count = api.nvim_buf_line_count(buf),
        listed = bo.buflisted,
      })
    end
    cb({ buffers = found, count = #found })
  end,
}

return { prompt, buffers }
