-- Builds bin/claudecoded in the plugin's folder. A plugin manager runs this file after it
-- installed or updated the plugin (lazy.nvim unasked, as a coroutine); by hand: nvim -l build.lua

local folder = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

local needed = { major = 1, minor = 26 }
local where = ("claudecoded needs Go %d.%d or newer to be built: https://go.dev/dl/"):format(needed.major, needed.minor)

-- How long the go command may take. A first build downloads the modules.
local timeout_ms = 10 * 60 * 1000

local coroutine_, is_main = coroutine.running()
local managed = coroutine_ ~= nil and not is_main

-- Tells how far it is: a plugin manager shows what its coroutine yields.
local function say(text)
  if managed then
    coroutine.yield(text)
  else
    print(text)
  end
end

-- Runs a command in the plugin's folder. A plugin manager gets its turn meanwhile by yields
-- alone: a vim.wait inside its turn would let it begin the next one, which lazy.nvim then
-- takes for the end.
local function run(cmd)
  local options = { cwd = folder, text = true, timeout = timeout_ms, env = { CGO_ENABLED = "0" } }
  if not managed then
    return vim.system(cmd, options):wait()
  end
  local result
  vim.system(cmd, options, function(finished)
    result = finished
  end)
  while not result do
    coroutine.yield()
  end
  return result
end

local function check_go()
  if vim.fn.executable("go") == 0 then
    error("go was not found on PATH. " .. where, 0)
  end
  -- In the plugin's folder: a go that brings the version go.mod asks for is new enough.
  local result = run({ "go", "env", "GOVERSION" })
  local major, minor = (result.stdout or ""):match("go(%d+)%.(%d+)")
  if result.code ~= 0 or not major then
    error(("%s\n%s"):format(vim.trim(result.stderr or ""), where), 0)
  end
  if vim.version.lt({ tonumber(major), tonumber(minor), 0 }, { needed.major, needed.minor, 0 }) then
    error(("found go%s.%s. %s"):format(major, minor, where), 0)
  end
end

local function version()
  if vim.fn.executable("git") == 0 then
    return "unknown"
  end
  local result = run({ "git", "describe", "--tags", "--always", "--dirty" })
  return result.code == 0 and vim.trim(result.stdout) or "unknown"
end

local function build()
  local name = vim.fn.has("win32") == 1 and "claudecoded.exe" or "claudecoded"
  local target = vim.fs.joinpath(folder, "bin", name)
  -- A daemon that runs keeps its file: the new one takes the name only when it is whole.
  local fresh = ("%s.%d.tmp"):format(target, vim.fn.getpid())
  vim.fn.mkdir(vim.fs.dirname(target), "p")
  local ldflags = "-s -w -X main.version=" .. version()
  say("building " .. target)
  local cmd = { "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", fresh, "./cmd/claudecoded" }
  local result = run(cmd)
  if result.code ~= 0 then
    vim.uv.fs_unlink(fresh)
    local reason = result.code == 124 and "it took too long" or vim.trim(result.stderr or "")
    error(("go build failed (exit code %d): %s"):format(result.code, reason), 0)
  end
  assert(vim.uv.fs_rename(fresh, target))
  say("built " .. target)
end

check_go()
build()
