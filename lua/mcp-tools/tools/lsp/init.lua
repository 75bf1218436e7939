--- The tools that ask language servers. Lines and columns count from 1, columns in bytes, whatever
--- a server counts in. All servers that can answer are asked at once, and what they say is merged.
--- No window, cursor or text is touched; what an edit would change, the user reviews.

local calls = require("mcp-tools.call")
local locations = require("mcp-tools.tools.lsp.locations")
local target = require("mcp-tools.tools.lsp.target")
local touches = require("mcp-tools.permissions.touches")

local reading = { readOnlyHint = true, openWorldHint = false }
local editing = { readOnlyHint = false, destructiveHint = true, openWorldHint = false }

local at = target.position_args
local limited = { limit = locations.limit_arg }

local function join(...)
  return vim.tbl_extend("error", ...)
end

--- A function of another file, which is only loaded when it is called.
local function of(file, name)
  return function(call, args)
    return require("mcp-tools.tools.lsp." .. file)[name](call, args)
  end
end

--- A request whose answer is a list of places.
local function places(method, params)
  return function(call, args)
    local servers = require("mcp-tools.tools.lsp.servers")
    local limit = locations.limit(call, args)
    local buf = target.buffer(call, args)
    local place = target.place(call, buf, args)
    local answers = servers.ask_able(call, method, buf, function(client)
      return vim.tbl_extend("error", target.params(client, buf, place), params and params(args) or {})
    end)
    return locations.list(call, answers, limit)
  end
end

local function references_params(args)
  return { context = { includeDeclaration = args.include_declaration ~= false } }
end

--- Answers of these tools: places as { path, line, col, text }.
local listed = " Returns path, line, col and the line's text of each."

---@class (exact) mcp_tools.lsp.Spec
---@field name string
---@field description string
---@field args table<string, mcp_tools.Arg>
---@field run fun(call: mcp_tools.WaitingCall, args: table): any
---@field paths? fun(args: table): string[]?

---@type mcp_tools.lsp.Spec[]
local readers = {
  {
    name = "lsp_hover",
    description = "Get the type, signature and documentation of the symbol at a place",
    args = at,
    run = of("hover", "hover"),
  },
  {
    name = "lsp_definition",
    description = "Find where the symbol at a place is defined." .. listed,
    args = join(at, limited),
    run = places("textDocument/definition"),
  },
  {
    name = "lsp_declaration",
    description = "Find where the symbol at a place is declared." .. listed,
    args = join(at, limited),
    run = places("textDocument/declaration"),
  },
  {
    name = "lsp_type_definition",
    description = "Find where the type of the symbol at a place is defined." .. listed,
    args = join(at, limited),
    run = places("textDocument/typeDefinition"),
  },
  {
    name = "lsp_references",
    description = "Find every use of the symbol at a place." .. listed,
    args = join(at, limited, {
      include_declaration = { type = "boolean", description = "Whether its declaration counts", default = true },
    }),
    run = places("textDocument/references", references_params),
  },
  {
    name = "lsp_implementation",
    description = "Find the implementations of the interface or method at a place." .. listed,
    args = join(at, limited),
    run = places("textDocument/implementation"),
  },
  {
    name = "lsp_symbols",
    description = "List the symbols of a file, those within others as their children."
      .. " line is that of the name; start_line and end_line are given where they differ",
    args = join(target.buffer_args, limited),
    run = of("symbols", "document"),
  },
  {
    name = "lsp_workspace_symbols",
    description = "Search all symbols that the language servers know by name."
      .. " A path or buffer chooses the servers; by default all are asked",
    args = join(target.buffer_args, limited, {
      query = { type = "string", description = "What their names are like", required = true },
    }),
    run = of("symbols", "workspace"),
    paths = touches.named_or_every_buffer,
  },
  {
    name = "lsp_signature",
    description = "Get the signatures of the function called at a place, and the parameter there."
      .. " symbol is the function's name",
    args = at,
    run = of("hover", "signature"),
  },
  {
    name = "lsp_incoming_calls",
    description = "List the functions that call the one at a place, with the lines of the calls",
    args = join(at, limited),
    run = of("calls", "incoming"),
  },
  {
    name = "lsp_outgoing_calls",
    description = "List the functions that the one at a place calls, with the lines of the calls",
    args = join(at, limited),
    run = of("calls", "outgoing"),
  },
}

local action_args = join(at, {
  end_line = { type = "number", description = "Last line of a range, from 1 (default: none)" },
  end_col = { type = "number", description = "Column in bytes behind the range, from 1 (default: the line's end)" },
  kind = { type = "string", description = "Kind of the actions, such as quickfix or source.organizeImports" },
})

table.insert(readers, {
  name = "lsp_code_actions",
  description = "List the code actions (fixes, refactorings) at a place or for a range",
  args = action_args,
  run = of("actions", "list"),
})

local editors = {
  {
    name = "lsp_rename",
    description = "Rename the symbol at a place everywhere. The user reviews the edit; the result says"
      .. " which files were accepted and which rejected",
    args = join(at, { new_name = { type = "string", description = "Its new name", required = true } }),
    run = of("rename", "run"),
  },
  {
    name = "lsp_apply_code_action",
    description = "Apply one of the code actions that lsp_code_actions lists for the same arguments."
      .. " The user reviews the edit; the result says which files were accepted and which rejected",
    args = join(action_args, {
      title = { type = "string", description = "The title of the code action", required = true },
    }),
    run = of("actions", "apply"),
  },
}

local tools = {}

--- How long a reading call may take as a whole, in milliseconds. One that edits takes its user's time.
local reading_ms = 30000

---@param spec mcp_tools.lsp.Spec
local function add(spec, annotations, timeout_ms)
  local tool = {
    name = spec.name,
    description = spec.description,
    args = spec.args,
    paths = spec.paths,
    annotations = annotations,
    timeout = timeout_ms,
  }
  table.insert(tools, calls.tool(tool, spec.run))
end

for _, spec in ipairs(readers) do
  add(spec, reading, reading_ms)
end
for _, spec in ipairs(editors) do
  add(spec, editing, 0)
end

return tools
