---@meta
error("types.lua is read by language servers only")

---@class (exact) mcp_tools.Arg
---@field type string
---@field description? string
---@field required? boolean
---@field default? any
---@field items? table
---@field properties? table
---@field enum? any[]

---@class (exact) mcp_tools.Tool
---@field name string
---@field description string
---@field execute fun(cb: fun(result?: any, err?: string|claudecode.ToolError), args: table, ctx: mcp_tools.Context)
---@field args? table<string, mcp_tools.Arg>
---@field input_schema? table|false A JSON Schema instead of args; false: callable, not listed
---@field ide? boolean Also listed on the IDE socket
---@field ui? boolean Opens windows, so a client's call of it waits for a safe moment
---@field timeout? integer Milliseconds; 0 means no limit

---@class (exact) mcp_tools.Context
---@field client? string The caller, client_<n>
---@field remaining_ms? integer How long the caller still waits, from when the tool was started
---@field progress fun(progress: number, total?: number, message?: string)
---@field cancelled fun(): boolean
---@field on_cancel fun(f: fun()) f runs when the call is cancelled, at once if it was already
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
---@field outcome? mcp_tools.Outcome Of a pending call that nobody fetched yet
