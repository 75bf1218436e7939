--- Changes of files that a tool proposes. The user reviews one file after the other, a text in the
--- plugin's diff, a deletion or a renaming by a question; or, with the option `edits = "direct"`, all
--- are made at once. What is accepted is written through the file's buffer and saved.

local files = require("mcp-tools.files")
local lines = require("mcp-tools.lines")
local question = require("mcp-tools.question")
local slices = require("mcp-tools.slices")

local M = {}

--- Files in one proposal.
M.max_changes = 1000

---@class (exact) mcp_tools.Change One of text, delete and rename_to
---@field path string
---@field text? string|string[] The whole new text, with LF line ends; a long one best in parts
---@field delete? boolean
---@field rename_to? string A path that does not exist
---@field save? boolean Whether the text is saved too; by default it is
---@field base? string|string[] The text that the new one was made from; by default what the file has now

---@class (exact) mcp_tools.ReviewOutcome
---@field accepted string[] Paths, as they were given
---@field rejected string[]
---@field failed string[] Those that could not be made; the error says why

local count = 0 -- of the diffs, whose names tell them apart

--- Whether changes are made at once.
---@param ctx mcp_tools.Context
---@return boolean
function M.is_direct(ctx)
  if ctx.direct ~= nil then
    return ctx.direct
  end
  return require("mcp-tools.config").get("edits") == "direct"
end

--- Shows a text in the plugin's diff.
---@param base mcp_tools.Base
---@param decide fun(text?: string|mcp_tools.Text, err?: string) With the text as the user accepted it
---@return fun() cancel
local function show_diff(name, base, text, decide)
  local diff = require("claudecode.diff")
  count = count + 1
  local tab_name = ("[%s %d] %s"):format(name, count, vim.fs.basename(base.path))
  local decided = require("claudecode.activity").reviews()
  local cancel = diff.propose({
    tab_name = tab_name,
    old_path = base.path,
    new_path = base.path,
    text = text,
    -- No client of the IDE socket may end it.
    client = "mcp-tools",
    name = name,
    takes_parts = true,
    options = { on_modified = "diff_buffer" },
  }, function(result, err)
    decided()
    -- Not within the acceptance: that is an autocommand of the proposal's buffer.
    vim.schedule(function()
      diff.close_diff_by_tab_name(tab_name)
      if err then
        return decide(nil, ("%s: %s"):format(base.path, err.data or err.message))
      end
      local accepted = result.content[1].text == "FILE_SAVED"
      decide(accepted and result.content[2].text or nil)
    end)
  end)
  return function()
    decided()
    cancel()
  end
end

---@param decide fun(yes: boolean)
---@return fun() cancel
local function confirm(name, prompt, decide)
  return question.select(name, { "Yes", "No" }, { prompt = prompt }, function(choice)
    decide(choice == "Yes")
  end)
end

---@alias mcp_tools.Decide fun(go: any, err?: string)

---@class (exact) mcp_tools.ChangeKind
---@field review fun(name: string, change: mcp_tools.Change, base: mcp_tools.Base, decide: mcp_tools.Decide): fun()
---@field apply fun(name: string, change: mcp_tools.Change, base: mcp_tools.Base, go: any): string?

--- The kinds of changes. review answers with whether to go on, and what with; apply does it.
---@type table<string, mcp_tools.ChangeKind>
local kinds = {
  text = {
    review = function(name, change, base, decide)
      local text = change.text
      return show_diff(name, base, type(text) == "table" and table.concat(text) or text, decide)
    end,
    apply = function(name, change, base, go)
      local text = type(go) == "string" and lines.cut(go) or go
      return files.write(name, base, text, change.save ~= false)
    end,
  },
  delete = {
    review = function(name, _, base, decide)
      return confirm(name, ("Delete %s?"):format(vim.fn.fnamemodify(base.path, ":~:.")), decide)
    end,
    apply = function(_, _, base)
      return files.delete(base)
    end,
  },
  rename_to = {
    review = function(name, change, base, decide)
      local from = vim.fn.fnamemodify(base.path, ":~:.")
      return confirm(name, ("Rename %s to %s?"):format(from, change.rename_to), decide)
    end,
    apply = function(_, change, base)
      return files.rename(base.path, files.absolute(change.rename_to))
    end,
  },
}

---@param change mcp_tools.Change
---@return string? kind nil with an error
---@return string? err
local function kind_of(change)
  local found = vim.tbl_filter(function(kind)
    return change[kind] ~= nil and change[kind] ~= false
  end, vim.tbl_keys(kinds))
  if type(change.path) ~= "string" or change.path == "" or #found ~= 1 then
    return nil, "a change needs a path, and one of text, delete and rename_to"
  end
  return found[1]
end

--- What a change starts from. Runs in slices.
---@return mcp_tools.Base? base
---@return string? err
local function base_of(kind, change)
  local path = files.absolute(change.path)
  if kind == "rename_to" then
    return { path = path, exists = true, stamp = "" }
  end
  local base, err = files.base(path, "parts")
  if base and kind == "delete" and not base.exists then
    return nil, ("%s: there is no such file"):format(path)
  elseif base and change.base and not lines.same(lines.cut(change.base), base.parts) then
    return nil, ("%s: it was changed meanwhile; nothing was written over it"):format(path)
  end
  return base, err
end

--- Proposes changes of files, and makes those that the user accepts, in their order. One that fails
--- does not stop the others; a text that changes nothing is accepted without a question.
---@param changes mcp_tools.Change[]
---@param ctx mcp_tools.Context Of the call; when that is cancelled, its review closes and nothing more is made
---@param done fun(outcome: mcp_tools.ReviewOutcome, err?: string) Called once. err: what failed, or "cancelled"
---@param name? string The tool, as the user reads it
function M.propose(changes, ctx, done, name)
  name = name or "edit"
  local outcome = { accepted = {}, rejected = {}, failed = {} } ---@type mcp_tools.ReviewOutcome
  local problems = {} ---@type string[]
  local over, cancel = false, nil ---@type boolean, fun()?

  local function finish(err)
    if not over then
      over, cancel = true, nil
      done(outcome, err or (#problems > 0 and table.concat(problems, "\n") or nil))
    end
  end
  if #changes > M.max_changes then
    return finish(("more than %d files"):format(M.max_changes))
  end
  for _, change in ipairs(changes) do
    local _, err = kind_of(change)
    if err then
      return finish(err)
    end
  end
  if not M.is_direct(ctx) and #vim.api.nvim_list_uis() == 0 then
    return finish('there is no user interface in which the change could be reviewed; edits = "direct" does without')
  end
  ctx.on_cancel(function()
    if cancel then
      cancel()
    end
    finish("cancelled")
  end)

  local direct, next_change = M.is_direct(ctx), nil
  local function settle(change, list, err)
    table.insert(outcome[list], change.path)
    table.insert(problems, err)
  end

  --- Makes a change that was decided, or not. Runs in slices.
  local function decided(kind, change, base, go, err)
    if err then
      settle(change, "failed", err)
    elseif not go then
      settle(change, "rejected")
    else
      err = kinds[kind].apply(name, change, base, go)
      if err and not direct then
        require("claudecode.log").tools("warn", ("what you accepted was not made: %s"):format(err))
      end
      settle(change, err and "failed" or "accepted", err)
    end
    next_change()
  end

  --- Runs f in slices as long as the proposal is not over. What it raises is why the change fails.
  local function in_slices(change, f)
    slices.run(f, function()
      return not over
    end, function(err)
      settle(change, "failed", ("%s: %s"):format(change.path, err))
      next_change()
    end)
  end

  local function take(change)
    local kind = assert(kind_of(change))
    local base, err = base_of(kind, change)
    local text = base and kind == "text" and lines.cut(change.text)
    if text and base.exists and lines.same(text, base.parts) then
      settle(change, "accepted")
      return next_change()
    elseif not base or direct then
      return decided(kind, change, base, text or true, err)
    end
    cancel = kinds[kind].review(name, change, base, function(go, failed)
      cancel = nil
      in_slices(change, function()
        decided(kind, change, base, go, failed)
      end)
    end)
  end

  local at = 0
  local function take_next()
    at = at + 1
    if at > #changes then
      return finish()
    elseif not over then
      in_slices(changes[at], function()
        take(changes[at])
      end)
    end
  end
  function next_change()
    -- The user comes between.
    vim.defer_fn(take_next, slices.pause_ms)
  end
  take_next()
end

return M
