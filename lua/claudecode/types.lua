---@meta
error("types.lua is read by language servers only")

---@alias claudecode.LogLevel "error"|"warn"|"info"|"debug"|"trace"

---@class (exact) claudecode.PortRange
---@field min integer
---@field max integer

---@class (exact) claudecode.DaemonOptions
---@field cmd? string|string[] The program to run instead of the one the plugin finds
---@field log_file? string Where the daemon writes its log
---@field ping_interval_ms? integer Between two keepalive pings; the daemon's default is 30000
---@field max_clients? integer WebSocket clients at once; the daemon's default is 64
---@field allowed_hosts? string[] Names that a client's Host header may have besides the loopback ones

---@class (exact) claudecode.Model
---@field name string
---@field value string

---@class (exact) claudecode.TerminalOptions
---@field split_side "left"|"right"
---@field split_width_percentage number
---@field diff_split_width_percentage? number
---@field provider "auto"|"snacks"|"native"|"external"|"none"|table
---@field provider_opts { external_terminal_cmd?: string|fun(cmd: string, env: table<string, string>): string|string[] }
---@field show_native_term_exit_tip boolean
---@field auto_close boolean
---@field auto_insert boolean
---@field snacks_win_opts table
---@field fix_streamed_paste boolean|"auto"
---@field cwd? string
---@field git_repo_cwd boolean
---@field cwd_provider? fun(context: { file?: string, file_dir?: string, cwd: string }): string?

---@class (exact) claudecode.Config
---@field port_range claudecode.PortRange
---@field auto_start boolean
---@field log_level claudecode.LogLevel
---@field daemon claudecode.DaemonOptions
---@field terminal_cmd? string
---@field permission_mode? string
---@field env table<string, string>
---@field mcp { enabled: boolean, always_load: boolean }
---@field track_selection boolean
---@field selection_filter? fun(buf: integer): "full"|"path"|"none"
---@field focus_after_send boolean
---@field visual_demotion_delay_ms number
---@field connection_wait_delay number
---@field connection_timeout number
---@field queue_timeout number
---@field models claudecode.Model[]
---@field disable_broadcast_debouncing? boolean
---@field diff_opts claudecode.DiffOptions
---@field review claudecode.ReviewOptions
---@field terminal claudecode.TerminalOptions

---@class (exact) claudecode.Version
---@field major integer
---@field minor integer
---@field patch integer
---@field prerelease? string
---@field string fun(self: claudecode.Version): string

---@class (exact) claudecode.State
---@field config claudecode.Config
---@field server table? The module claudecode.server while it runs
---@field port integer?
---@field auth_token string?
---@field initialized boolean
---@field mention_queue claudecode.Mention[]

---What the daemon says when it listens.
---@class (exact) claudecode.Ready
---@field port integer
---@field token string
---@field pid integer
---@field protocol integer
---@field version string
---@field lock_file? string

---@class (exact) claudecode.Daemon
---@field channel integer
---@field path? string The program, absent for a daemon that attached by itself
---@field stderr claudecode.Tail What it last wrote to stderr
---@field ready? claudecode.Ready
---@field stopping boolean
---@field on_settled claudecode.OnSettled
---@field on_gone claudecode.OnGone

---Called once, with how a start went. The reason is that of PROTOCOL.md's `failed`.
---@alias claudecode.OnSettled fun(err: string?, ready: claudecode.Ready?, reason: string?)

---Called once, when a daemon that was ready is gone; without why if it was meant to go.
---@alias claudecode.OnGone fun(why: string?)

---What the mirror of the server is told.
---@class (exact) claudecode.ServerEvents
---@field on_ready fun(ready: claudecode.Ready) The server listens; again after each on_lost
---@field on_lost fun() The daemon died and is being started again; its clients are gone
---@field on_over fun(err: string?) There is no server; with why if it never was ready

---A server that is kept up.
---@class (exact) claudecode.Supervised
---@field config claudecode.Config
---@field token? string
---@field port? integer The one that clients know
---@field port_deadline? integer Until then that port is tried, vim.uv.now()
---@field lost_port? integer The one that clients knew, given up
---@field events claudecode.ServerEvents
---@field restarts integer[] When the daemon was restarted within the window, vim.uv.now()
---@field timer? uv.uv_timer_t Of the next try
---@field ready? claudecode.Ready What the last daemon that was ready said
---@field stopping boolean

---@class (exact) claudecode.Client
---@field id string client_<n>
---@field state "connected"
---@field handshake_complete true
---@field connected_at integer Milliseconds, claudecode.clock

---A JSON-RPC error, as a tool may raise it or hand it to its callback.
---@class (exact) claudecode.ToolError
---@field code integer
---@field message string
---@field data? any

---@alias claudecode.DiffLayoutName "vertical"|"horizontal"|"unified"

---@class (exact) claudecode.DiffOptions
---@field enabled boolean Whether openDiff is offered
---@field layout claudecode.DiffLayoutName
---@field open_in_new_tab boolean
---@field keep_terminal_focus boolean
---@field hide_terminal_in_new_tab boolean
---@field on_new_file_reject "keep_empty"|"close_window"
---@field auto_resize_terminal boolean
---@field focus boolean Whether the cursor goes into a diff from where the user edits
---@field keymaps boolean Whether both sides of a diff have <leader>da and <leader>dq
---@field on_modified "error"|"prompt"|"diff_buffer" What happens if the old file has unsaved changes
---@field vertical_split? boolean Legacy: layout vertical or horizontal
---@field open_in_current_tab? boolean Legacy: the opposite of open_in_new_tab

---@class (exact) claudecode.ReviewOptions
---@field git boolean Whether what shell commands change is looked for
---@field signs boolean Whether lines that the last turn changed have signs

---What openDiff was asked.
---@class (exact) claudecode.Proposal
---@field tab_name string
---@field old_path string Absolute
---@field new_path string
---@field text string new_file_contents as it came
---@field client? string client_<n>, or who else may end it
---@field name? string What waits for a safe moment, by default openDiff
---@field options? table Instead of the user's claudecode.DiffOptions

---What a layout's open() returns.
---@class claudecode.Layout
---@field buf integer The proposed buffer
---@field win integer The window it was opened in
---@field wins integer[] Every window that belongs to the diff, the original pane too
---@field target? integer The original pane; else it is the place's anchor
---@field text fun(): string The final text (LF), byte for byte the proposal if the user changed nothing
---@field is_whole? boolean Whether the buffer has that text, and nothing else
---@field parts? fun(): string[] The final text in parts, of another buffer; runs in slices
---@field close fun() Undoes all that open() did, calls place:close() for it; safe to call twice, never raises
---@field refill fun() Puts the text as it was proposed into the buffer again
---@field entered? fun() Called when the cursor was moved into the window
---@field drop_hunks? fun(l1: integer, l2: integer) Drops the hunks that the lines touch
---@field text_of_hunks? fun(l1: integer, l2: integer): string? The original plus only those hunks; nil if none
