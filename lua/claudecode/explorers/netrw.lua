--- netrw, in each of its list styles. It has no interface but the names of its own functions.

local still = require("claudecode.explorers.still")

local M = {}

local fn = vim.fn

--- Of w:netrw_liststyle.
local wide_style, tree_style = 2, 3

local function is_available()
  return fn.exists("*netrw#Call") == 1 and fn.exists("*netrw#Expose") == 1
end

local function exists(path)
  return vim.uv.fs_stat(path) ~= nil
end

--- Calls f, and puts the mark back that netrw sets in the wide style.
local function with_mark(f)
  local mark = vim.api.nvim_buf_get_mark(0, "a")
  local result = f()
  if mark[1] > 0 then
    vim.api.nvim_buf_set_mark(0, "a", mark[1], mark[2], {})
  else
    vim.api.nvim_buf_del_mark(0, "a")
  end
  return result
end

--- The name at the cursor; none in the banner, where netrw would act on it.
---@return string?
local function word()
  if fn.line(".") < (vim.w.netrw_bannercnt or 0) then
    return nil
  end
  local found = with_mark(function()
    return fn["netrw#Call"]("NetrwGetWord")
  end)
  return found ~= "" and found or nil
end

--- The path of a name on the cursor's line.
---@param name string
local function path_of(name)
  if vim.w.netrw_liststyle ~= tree_style then
    return vim.fs.joinpath(vim.b.netrw_curdir or fn.getcwd(), name)
  elseif name == "../" then
    return vim.fs.joinpath(vim.w.netrw_treetop, name)
  end
  -- For a folder and for a link it is the path itself, for a file that of its folder.
  local branch = fn["netrw#Call"]("NetrwTreePath", vim.w.netrw_treetop)
  local line = fn.getline(".")
  if line:find("/$") or line:find("@%s+%-%->") then
    return branch
  end
  return vim.fs.joinpath(branch, name)
end

--- The files that are marked, in the order in which they were.
local function marked()
  local list = fn["netrw#Expose"]("netrwmarkfilelist")
  return type(list) == "table" and vim.tbl_filter(exists, list) or {}
end

function M.selected()
  if not is_available() then
    return nil, "netrw not available"
  end
  local paths = marked()
  if #paths > 0 then
    return paths
  end
  local path = still.call(function()
    local name = word()
    return name and path_of(name)
  end)
  if not path then
    return nil, "Failed to get path from netrw"
  elseif not exists(path) then
    return nil, "Invalid file or directory path: " .. path
  end
  return { path }
end

--- The columns of the cursor's line in which names begin, in bytes from 1.
local function columns()
  local width = vim.w.netrw_liststyle == wide_style and vim.b.netrw_cpf or nil
  if not width then
    return { 1 }
  end
  local list = {}
  for column = 1, fn.virtcol("$") - 1, width do
    table.insert(list, fn.virtcol2col(0, fn.line("."), column))
  end
  return list
end

--- Whether a line stands for the folder that is shown or its parent.
local function leads_up(name, path)
  return name == "./" or name == "../" or path == vim.fs.joinpath(vim.w.netrw_treetop or "", "/")
end

--- All but the folder that is shown and its parent, which are there whatever is selected.
function M.in_range(first, last)
  if not is_available() then
    return nil, "netrw not available"
  end
  local paths = {}
  still.each(first, last, function()
    for _, column in ipairs(columns()) do
      fn.cursor(fn.line("."), column)
      local name = word()
      local path = name and path_of(name)
      table.insert(paths, path and not leads_up(name, path) and exists(path) and path or nil)
    end
  end)
  return paths
end

return M
