--- Runs what takes time, all of it at once, and waits for it no longer than it is allowed.

local M = {}

---@class (exact) claudecode.Inquiry
---@field ms integer How long an answer is awaited
---@field start fun(done: fun(answer: any)): fun()? What it returns gives up

--- Starts all inquiries and waits until each is answered or given up.
---@param inquiries table<string, claudecode.Inquiry>
---@return table<string, any> answers Without those that did not come in time
function M.all(inquiries)
  local answers, open = {}, {}
  local begin, longest = vim.uv.now(), 0
  for name, inquiry in pairs(inquiries) do
    longest = math.max(longest, inquiry.ms)
    open[name] = true
    local give_up = inquiry.start(function(answer)
      if open[name] then
        open[name] = nil
        answers[name] = answer
      end
    end)
    open[name] = open[name] and (give_up or function() end)
  end
  vim.wait(longest, function()
    for name, give_up in pairs(open) do
      if vim.uv.now() - begin >= inquiries[name].ms then
        open[name] = nil
        give_up()
      end
    end
    return next(open) == nil
  end, 10)
  for name, give_up in pairs(open) do
    open[name] = nil
    give_up()
  end
  return answers
end

--- Ends a program and what it started.
local function kill(process)
  if vim.fn.has("win32") == 1 or not pcall(vim.uv.kill, -process.pid, "sigkill") then
    process:kill("sigkill")
  end
end

--- Asks a program for its version.
---@param argv string[]
---@param ms integer
---@return claudecode.Inquiry # Answers { code, stdout, stderr }, or { problem } if it does not run
function M.program(argv, ms)
  return {
    ms = ms,
    start = function(done)
      local ok, process = pcall(vim.system, argv, { text = true, detach = true }, done)
      if not ok then
        done({ problem = tostring(process) })
        return
      end
      return function()
        kill(process)
      end
    end,
  }
end

--- What a program printed, on one line, or what went wrong.
---@param answer? { code?: integer, stdout?: string, stderr?: string, problem?: string } nil: none came
---@param ms integer
---@return string? line
---@return string? problem
function M.line(answer, ms)
  if not answer then
    return nil, ("no answer within %d s"):format(ms / 1000)
  elseif answer.problem then
    return nil, answer.problem
  elseif answer.code ~= 0 then
    return nil, ("exit code %d: %s"):format(answer.code, vim.trim(answer.stderr or ""):sub(1, 200))
  end
  local line = vim.trim(answer.stdout or ""):sub(1, 200):gsub("%s*\n%s*", ", ")
  if line == "" then
    return nil, "it prints nothing"
  end
  return line
end

return M
