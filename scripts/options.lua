--- Writes the options into README.md and doc/claudecode.txt, between their markers, from
--- claudecode.options; with --check it only says which file differs. Run with nvim -l.

local root = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(arg[0], ":p"))))
vim.opt.runtimepath:prepend(root)
local options = require("claudecode.options")

local documented = vim.tbl_filter(function(option)
  return option.doc ~= nil
end, options.list)

--- The default as the documents show it.
local function default(option)
  local shown = option.shown or vim.inspect(option.default, { newline = " ", indent = "" })
  return shown
end

local function in_one_line(text)
  return (text:gsub("\n", " "))
end

--- The rows of the README's table.
local function rows()
  local lines = { "| option | default | meaning |", "| --- | --- | --- |" }
  for _, option in ipairs(documented) do
    local shown = option.shown and option.shown or ("`%s`"):format(default(option))
    table.insert(lines, ("| `%s` | %s | %s |"):format(option.path, shown, in_one_line(option.doc)))
  end
  return lines
end

local column, width = 24, 78

--- Lines of at most width - column characters.
local function wrap(text)
  local lines, line = {}, ""
  for word in in_one_line(text):gmatch("%S+") do
    if line ~= "" and #line + 1 + #word > width - column then
      table.insert(lines, line)
      line = ""
    end
    line = line == "" and word or line .. " " .. word
  end
  table.insert(lines, line)
  return lines
end

local indent = ("\t"):rep(column / 8)

--- The entries of the help file: each a tag at the right, then name and text beside each other.
local function entries()
  local lines = {}
  for _, option in ipairs(documented) do
    local tag = ("*claudecode-%s*"):format(option.path)
    table.insert(lines, ("\t"):rep(math.floor((width - #tag) / 8)) .. tag)
    local text = wrap(("%s Default: %s"):format(option.doc, (default(option):gsub("`", ""))))
    local beside = option.path .. ("\t"):rep(math.ceil((column - #option.path) / 8))
    if #option.path >= column then
      table.insert(lines, option.path)
      beside = indent
    end
    table.insert(lines, beside .. table.remove(text, 1))
    for _, line in ipairs(text) do
      table.insert(lines, indent .. line)
    end
    table.insert(lines, "")
  end
  return lines
end

local documents = {
  { path = "README.md", from = "<!-- options -->", to = "<!-- end of options -->", lines = rows },
  {
    path = "doc/claudecode.txt",
    from = "\t\t\t\t\t\t\t*claudecode-option-list*",
    to = "\t\t\t\t\t\t\t*claudecode-auto-setup*",
    lines = entries,
  },
}

local failed = false
for _, document in ipairs(documents) do
  local path = vim.fs.joinpath(root, document.path)
  local lines = vim.fn.readfile(path)
  local from, to
  for i, line in ipairs(lines) do
    from = line == document.from and i or from
    to = line == document.to and i or to
  end
  assert(from and to and from < to, document.path .. " lacks its markers")
  local new = vim.list_slice(lines, 1, from)
  vim.list_extend(new, document.path == "README.md" and {} or { "" })
  vim.list_extend(new, document.lines())
  vim.list_extend(new, vim.list_slice(lines, to))
  if not vim.deep_equal(lines, new) then
    if arg[1] == "--check" then
      io.stderr:write(document.path .. " differs from lua/claudecode/options: run make fmt\n")
      failed = true
    else
      vim.fn.writefile(new, path)
    end
  end
end
os.exit(failed and 1 or 0)
