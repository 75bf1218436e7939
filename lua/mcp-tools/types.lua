---@meta
error("types.lua is read by language servers only")

--- Any other keyword of JSON Schema may be there too.
---@class mcp_tools.Arg
---@field type string
---@field description? string
---@field required? boolean
---@field default? any
---@field min? number Least value of a number, least length of a string or array
---@field max? number
---@field items? mcp_tools.Arg
---@field properties? table<string, mcp_tools.Arg>
---@field enum? any[]

--- What clients are told of a tool, and may use when they ask the user for permission.
---@class (exact) mcp_tools.Annotations
---@field title? string
---@field readOnlyHint? boolean It changes nothing
---@field destructiveHint? boolean What it changes may be lost; true if absent
---@field idempotentHint? boolean The same call again changes nothing more
---@field openWorldHint? boolean It deals with more than the editor; true if absent

---@class (exact) mcp_tools.Tool
---@field name string
---@field title? string
---@field description string
---@field execute fun(cb: fun(result?: any, err?: string|claudecode.ToolError), args: table, ctx: mcp_tools.Context)
---@field args? table<string, mcp_tools.Arg>
---@field input_schema? table|false A JSON Schema instead of args; false: callable, not listed
---@field schema_text? string Of tools that come along: input_schema as the JSON text that is sent
---@field output_schema? table A JSON Schema of an object: what the tool returns is structured
---@field annotations? mcp_tools.Annotations
---@field icons? table[] `{ src, mimeType, sizes }` each
---@field _meta? table<string, any>
---@field ide? boolean Also listed on the IDE socket
---@field mcp? boolean false: clients of HTTP are not offered it, and cannot call it
---@field ui? boolean Opens windows, so a client's call of it waits for a safe moment
---@field timeout? integer Milliseconds; 0 means no limit
---@field result_limit? integer Bytes of text that one answer shows; 0 means all
---@field policy? "allow"|"ask"|"deny" What is done with calls that no rule of the user's is about
---@field policy_args? string[] Arguments: `policy` is only for calls that give one of them
---@field paths? fun(args: table): string[]? The files that a call stands for; nil: those its arguments name

---@class (exact) mcp_tools.Context
---@field client? string The caller: client_<n> on the IDE socket, mcp_<n> in a session, http_<n> without one
---@field buf integer The buffer the user is in, or was in before a terminal such as Claude's
---@field direct? boolean Whether changes are made without a review, in place of the option `edits`
---@field remaining_ms? integer How long the caller still waits, from when the tool was started
---@field progress fun(progress: number, total?: number, message?: string)
---@field cancelled fun(): boolean Whether nobody waits any more: cancelled, too late, or the caller left
---@field on_cancel fun(f: fun()) f runs when that happens, at once if it did already
---@field coroutine? thread Set by a tool that answers from a coroutine, which it left suspended

---@class (exact) mcp_tools.Call
---@field client? string
---@field remaining_ms? integer How long the caller still waits
---@field expires_unix_ms? integer When it stops, by the wall clock
---@field on_start? fun(task_id: string) Runs before the tool
---@field on_progress? fun(progress: number, total?: number, message?: string)
---@field on_done? fun(outcome: mcp_tools.Outcome): boolean? Takes the outcome of a pending call; false: it does not

---@class (exact) mcp_tools.Pending
---@field pending true
---@field task_id string
---@field timeout? integer
---@field coroutine? thread

---@class (exact) mcp_tools.Outcome
---@field done boolean
---@field result? any
---@field error? any

---@class (exact) mcp_tools.Task
---@field done boolean
---@field cancelled boolean
---@field on_cancel fun()[]
---@field reports? table[] Progress that was reported and not sent yet
---@field outcome? mcp_tools.Outcome Of a pending call that nobody fetched yet
