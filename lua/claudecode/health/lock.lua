--- The lock file, by which Claude finds the server.

local locks = require("claudecode.health.locks")

local health = vim.health
local M = {}

--- Lock files of others that are listed.
local max_listed = 10

---@param folders string[]
local function quoted(folders)
  return #folders > 0 and table.concat(folders, ", ") or "none"
end

---@param lock claudecode.Lock
---@param right? boolean It holds the server's token
local function check_contents(lock, right)
  local wrong = {}
  if lock.pid ~= vim.fn.getpid() then
    table.insert(wrong, ("its pid is %s, not that of this Neovim"):format(lock.pid))
  end
  if lock.transport ~= "ws" then
    table.insert(wrong, ('its transport is %s, not "ws"'):format(vim.inspect(lock.transport)))
  end
  if not right then
    table.insert(wrong, lock.has_token and "its token is not the server's" or "it has no token")
  end
  if #wrong > 0 then
    return health.error("the lock file is wrong: " .. table.concat(wrong, "; "), ":ClaudeCodeStop and :ClaudeCodeStart")
  end
  health.ok(
    ('it holds pid %d, ideName "%s", transport "ws" and the server\'s token'):format(lock.pid, lock.ide_name or "")
  )
end

---@param lock claudecode.Lock
local function check_folders(lock)
  local cwd = vim.fn.getcwd()
  local symlinked = vim.tbl_filter(function(folder)
    local real = vim.uv.fs_realpath(folder)
    return real ~= nil and real ~= vim.fs.normalize(folder, { expand_env = false })
  end, lock.folders)
  if locks.matches(lock, cwd) then
    health.ok(("its folders (%s) contain the working folder"):format(quoted(lock.folders)))
  else
    health.warn(
      ("none of its folders (%s) contains the working folder %s"):format(quoted(lock.folders), cwd),
      "`claude --ide` there does not find this editor; :cd, or start Claude in one of the folders, or use /ide"
    )
  end
  for _, folder in ipairs(symlinked) do
    health.warn("a folder is a symbolic link, which Claude never matches: " .. folder)
  end
end

---@param path string
local function check_place(path)
  local config = vim.trim(vim.env.CLAUDE_CONFIG_DIR or "")
  local dirs = locks.dirs()
  local dir, own = vim.fs.dirname(path), require("claudecode.lockfile").lock_dir
  local real = vim.uv.fs_realpath(dir) or dir
  -- The last one is the plugin's own, if Claude does not know it.
  local known = config ~= "" and 2 or 1
  local seen = vim.iter(vim.list_slice(dirs, 1, known)):any(function(other)
    return (vim.uv.fs_realpath(other) or other) == real
  end)
  if not seen then
    health.warn(
      ("a Claude that is started from here looks for lock files in %s, not in %s"):format(dirs[1], dir),
      "CLAUDE_CONFIG_DIR was changed after Neovim had started; the plugin uses " .. own
    )
  end
  if config ~= "" then
    health.info(("CLAUDE_CONFIG_DIR is set, to %s: a Claude that is started elsewhere needs the same"):format(config))
  end
end

---@param own string
local function check_others(own)
  local cwd, here = vim.fn.getcwd(), {}
  for _, lock in ipairs(locks.others(own)) do
    if lock.problem then
      health.info(("a lock file that cannot be read: %s: %s"):format(lock.path, lock.problem))
    elseif lock.pid and not lock.alive then
      health.info(("a lock file whose editor is gone: %s; Claude removes it"):format(lock.path))
    elseif locks.matches(lock, cwd) then
      table.insert(here, ("%s (%s, pid %s)"):format(lock.path, lock.ide_name or "IDE", lock.pid or "unknown"))
    end
  end
  if #here > 0 then
    health.warn(
      ("%d more lock file(s) match this folder, so `claude --ide` connects to none: %s"):format(
        #here,
        table.concat(vim.list_slice(here, 1, max_listed), ", ")
      ),
      "Choose this editor with /ide, or start Claude with CLAUDE_CODE_SSE_PORT set to its port, or close the others"
    )
  else
    health.ok("no other lock file matches this folder")
  end
end

---@param facts claudecode.Facts
function M.check(facts)
  local path = facts.ready and facts.ready.lock_file or ""
  if not facts.ready then
    return
  end
  health.start("claudecode: lock file")
  if path == "" then
    return health.info("no lock file was asked for")
  end
  health.info("lock file: " .. path)
  local lock, right = locks.read(path, facts.ready.token)
  if not vim.uv.fs_stat(path) then
    health.error("the lock file is missing: " .. path, "The daemon writes it again within a second; else restart it")
  elseif lock.problem then
    health.error("the lock file cannot be read: " .. lock.problem)
  else
    check_contents(lock, right)
    check_folders(lock)
  end
  check_place(path)
  check_others(path)
end

return M
