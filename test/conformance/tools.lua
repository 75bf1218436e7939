--- The tools that the public suites of MCP expect of a server, and a few more. A real Neovim
--- registers them as a user would.

local tools = require("mcp-tools")

--- A red pixel, and a moment of silence.
local png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
local wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="

local function text(words)
  return { type = "text", text = words }
end

local image = { type = "image", data = png, mimeType = "image/png" }

---@param path string
---@param words string
local function resource(path, words)
  return { type = "resource", resource = { uri = "test://" .. path, mimeType = "text/plain", text = words } }
end

--- Registers a tool without arguments that answers at once.
---@param name string
---@param description string
---@param result? table
---@param err? string|claudecode.ToolError
local function answers(name, description, result, err)
  tools.register({
    name = name,
    description = description,
    execute = function(cb)
      cb(result, err)
    end,
  })
end

answers("test_simple_text", "Answers with text", { content = { text("This is a simple text response for testing.") } })
answers("test_image_content", "Answers with an image", { content = { image } })
answers("test_audio_content", "Answers with audio", {
  content = { { type = "audio", data = wav, mimeType = "audio/wav" } },
})
answers("test_embedded_resource", "Answers with a resource", {
  content = { resource("embedded-resource", "This is an embedded resource content.") },
})
answers("test_multiple_content_types", "Answers with text, an image and a resource", {
  content = { text("Multiple content types test:"), image, resource("mixed-content-resource", "mixed") },
})
answers("test_error_handling", "Fails", nil, "This tool intentionally returns an error for testing")
answers("test_missing_capability", "Needs a client that samples", nil, {
  code = -32021,
  message = "Missing client capability",
  data = { requiredCapabilities = { sampling = vim.empty_dict() } },
})
answers("test_streaming_elicitation", "Asks nothing of its client", { content = { text("nothing was asked") } })
answers("test_logging_tool", "Logs nothing to its client", { content = { text("nothing was logged") } })
answers("test_structured", "Answers with a structured result", {
  structuredContent = { list = { 1, 2 }, map = vim.empty_dict(), big = 9007199254740991, text = "ä" },
})
answers("test_link", "Answers with a link", {
  content = { { type = "resource_link", uri = "file:///a%20b.txt", name = "a b.txt", mimeType = "text/plain" } },
})

tools.register({
  name = "test_tool_with_progress",
  description = "Reports its progress three times",
  execute = function(cb, _, ctx)
    -- One after the other: reports that come together are told as one.
    local function step(n)
      ctx.progress(50 * n, 100, ("step %d"):format(n))
      vim.defer_fn(function()
        if n < 2 then
          step(n + 1)
        else
          cb({ content = { text("done") } })
        end
      end, 100)
    end
    step(0)
  end,
})

--- By key, the calls of test_wait that nobody ended, and how many were cancelled.
local waits = vim.defaulttable(function()
  return { waiting = 0, cancelled = 0 }
end)
local key = { key = { type = "string", description = "which calls are meant", required = true } }

tools.register({
  name = "test_wait",
  description = "Waits until it is cancelled",
  args = key,
  execute = function(_, args, ctx)
    local of = waits[args.key]
    of.waiting = of.waiting + 1
    ctx.on_cancel(function()
      of.waiting, of.cancelled = of.waiting - 1, of.cancelled + 1
    end)
  end,
})

tools.register({
  name = "test_waits",
  description = "Tells how many calls of test_wait wait, and how many were cancelled",
  args = key,
  execute = function(cb, args)
    cb(waits[args.key])
  end,
})

tools.register({
  name = "test_add",
  description = "Adds two numbers",
  args = {
    a = { type = "number", description = "one", required = true },
    b = { type = "number", description = "the other", default = 1 },
  },
  execute = function(cb, args)
    cb({ structuredContent = { sum = args.a + args.b } })
  end,
})

local changes = 0

tools.register({
  name = "test_trigger_tool_change",
  description = "Registers a tool more",
  execute = function(cb)
    changes = changes + 1
    answers("test_extra_" .. changes, "Was not there before", { content = { text("extra") } })
    if changes > 3 then
      tools.unregister("test_extra_" .. changes - 3)
    end
    cb({ content = { text("changed") } })
  end,
})

local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))

--- A schema with what JSON Schema 2020-12 has and older drafts have not.
tools.register({
  name = "json_schema_2020_12_tool",
  description = "Has a schema of its own",
  input_schema = vim.json.decode(table.concat(vim.fn.readfile(here .. "/schema.json"), "\n")),
  execute = function(cb)
    cb({ content = { text("its arguments are valid") } })
  end,
})
