--- Options of the diff review.

local rules = require("claudecode.options.rules")

---@type claudecode.Option[]
return {
  {
    path = "diff_opts",
    default = {},
    rule = rules.table,
  },
  {
    path = "diff_opts.enabled",
    default = true,
    rule = rules.boolean,
    doc = [[
Offer Claude the review of its edits in the editor. Otherwise it asks in its own terminal. It counts when the server
starts first.]],
  },
  {
    path = "diff_opts.layout",
    default = "vertical",
    rule = rules.one_of("vertical", "horizontal", "unified"),
    doc = [[
How a proposed edit is shown: "vertical" (beside the file), "horizontal" (below it), "unified" (one buffer with the
removed and the added lines).]],
  },
  {
    path = "diff_opts.open_in_new_tab",
    default = false,
    rule = rules.boolean,
    doc = [[
Show each proposal in a tab page of its own.]],
  },
  {
    path = "diff_opts.focus",
    default = false,
    rule = rules.boolean,
    doc = [[
Move the cursor into the proposal when it opens. Otherwise it moves only if it was in Claude's terminal.]],
  },
  {
    path = "diff_opts.keep_terminal_focus",
    default = false,
    rule = rules.boolean,
    doc = [[
Leave the cursor in Claude's terminal when a proposal opens.]],
  },
  {
    path = "diff_opts.hide_terminal_in_new_tab",
    default = false,
    rule = rules.boolean,
    doc = [[
Do not show Claude's terminal in a proposal's own tab page.]],
  },
  {
    path = "diff_opts.on_new_file_reject",
    default = "keep_empty",
    rule = rules.one_of("keep_empty", "close_window"),
    doc = [[
What becomes of a window with an empty buffer that showed the proposal of a new file, once that is rejected:
"keep_empty" or "close_window".]],
  },
  {
    path = "diff_opts.on_modified",
    default = "error",
    rule = rules.one_of("error", "prompt", "diff_buffer"),
    doc = [[
What happens if the file has unsaved changes in a buffer: "error" (Claude asks in its own terminal), "prompt" (you
choose), "diff_buffer" (the proposal is compared with your unsaved text).]],
  },
  {
    path = "diff_opts.auto_resize_terminal",
    default = true,
    rule = rules.boolean,
    doc = [[
Give Claude's terminal its width again when a proposal opens or closes.]],
  },
  {
    path = "diff_opts.keymaps",
    default = true,
    rule = rules.boolean,
    doc = [[
Map `<leader>da` (accept) and `<leader>dq` (reject) in both windows of a proposal, while it is open.]],
  },
  {
    path = "diff_opts.vertical_split",
    rule = rules.optional(rules.boolean),
  },
  {
    path = "diff_opts.open_in_current_tab",
    rule = rules.optional(rules.boolean),
  },
  {
    path = "diff_opts.auto_close_on_accept",
    rule = rules.optional(rules.boolean),
  },
  {
    path = "diff_opts.show_diff_stats",
    rule = rules.optional(rules.boolean),
  },
}
