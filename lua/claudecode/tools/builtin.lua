--- The tools of the IDE socket, in the order in which they are listed. Here is only what clients are
--- told of each; what it does is in a file below claudecode.tools, which the first call loads.

local M = {}

--- The schemas are text, as it is sent: to make it of tables takes longer than all else at the start.
local schema = '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",'
  .. '"properties":{%s}%s,"additionalProperties":false}'

---@param default? boolean
local function property(name, kind, description, default)
  local more = default == nil and "" or (',"default":%s'):format(tostring(default))
  return ('"%s":{"type":"%s","description":"%s"%s}'):format(name, kind, description, more)
end

--- A function of a tool's file.
---@param file string
---@param name "execute"|"paths"
local function loaded(file, name)
  return function(...)
    return require("claudecode.tools." .. file)[name](...)
  end
end

---@param file string
---@param tool { properties?: string[], required?: string, paths?: true } And the rest of an mcp_tools.Tool
---@return mcp_tools.Tool
local function declare(file, tool)
  tool.ide = true
  tool.execute = loaded(file, "execute")
  tool.paths = tool.paths and loaded(file, "paths")
  if tool.properties then
    local required = tool.required and (',"required":[%s]'):format(tool.required) or ""
    tool.schema_text = schema:format(table.concat(tool.properties, ","), required)
  else
    tool.input_schema = false
  end
  tool.properties, tool.required = nil, nil
  return tool
end

---@type mcp_tools.Tool[]
M.list = {
  declare("open_file", {
    name = "openFile",
    description = "Open a file in the editor and optionally select a range of lines or text",
    ui = true,
    properties = {
      property("filePath", "string", "Path of the file to open"),
      property("preview", "boolean", "Open it in the preview window", false),
      property("startLine", "integer", "First line to select, from 1"),
      property("endLine", "integer", "Last line to select, from 1"),
      property("startText", "string", "Text where the selection starts"),
      property("endText", "string", "Text where the selection ends; without it startText is selected"),
      property("selectToEndOfLine", "boolean", "Extend the selected text to the end of its line", false),
      property(
        "makeFrontmost",
        "boolean",
        "Move the focus to the file. If false, the focus stays and details of the file are returned",
        true
      ),
    },
    required = '"filePath"',
  }),
  declare("get_current_selection", {
    name = "getCurrentSelection",
    description = "Get the text that is selected in the editor, or the position of the cursor",
    properties = {},
    paths = true,
  }),
  declare("get_open_editors", {
    name = "getOpenEditors",
    description = "Get the files that are open in the editor",
    properties = {},
    paths = true,
  }),
  declare("open_diff", {
    name = "openDiff",
    description = "Show a proposed edit of a file as a diff, and wait until the user accepts or rejects it",
    mcp = false,
    timeout = 0,
    properties = {
      property("old_file_path", "string", "Path of the file to compare with"),
      property("new_file_path", "string", "Path of the file that the edit is for"),
      property("new_file_contents", "string", "Text of the file after the edit"),
      property("tab_name", "string", "Name of the diff"),
    },
    required = '"old_file_path","new_file_path","new_file_contents","tab_name"',
  }),
  declare("get_latest_selection", {
    name = "getLatestSelection",
    description = "Get the most recent selection of text in the editor, even if another window is active",
    properties = {},
    paths = true,
  }),
  declare("close_all_diff_tabs", {
    name = "closeAllDiffTabs",
    description = "Close all diffs that Claude opened in the editor",
    mcp = false,
    properties = {},
    paths = true,
  }),
  declare("get_diagnostics", {
    name = "getDiagnostics",
    description = "Get language diagnostics (errors, warnings) of a file, or of all files that are open in the editor",
    properties = {
      property("uri", "string", "URI or path of the file to get diagnostics for; without it, all files are reported"),
    },
    paths = true,
  }),
  declare("get_workspace_folders", {
    name = "getWorkspaceFolders",
    description = "Get the workspace folders that are open in the editor",
    properties = {},
    paths = true,
  }),
  declare("check_document_dirty", {
    name = "checkDocumentDirty",
    description = "Check whether a file that is open in the editor has unsaved changes",
    properties = {
      property("filePath", "string", "Path of the file to check"),
    },
    required = '"filePath"',
  }),
  declare("save_document", {
    name = "saveDocument",
    description = "Save a file that is open in the editor",
    properties = {
      property("filePath", "string", "Path of the file to save"),
    },
    required = '"filePath"',
  }),
  declare("close_tab", {
    name = "close_tab",
    description = "Close the diff with this name",
    mcp = false,
    paths = true,
  }),
}

--- Whether the user wants a tool.
local function is_wanted(tool)
  return tool.name ~= "openDiff" or require("claudecode").state.config.diff_opts.enabled
end

local set_up = false

--- Registers them, once. What a user registered under such a name stays.
function M.setup()
  if set_up then
    return
  end
  set_up = true
  require("claudecode.disk").setup()
  require("claudecode.lsp").follow()
  local registry = require("mcp-tools.registry")
  for _, tool in ipairs(M.list) do
    if is_wanted(tool) and not registry.has(tool.name) then
      registry.register(tool)
    end
  end
end

return M
