--- Runs what runs once. LuaJIT would compile each of its loops, which takes several times as long as
--- to interpret them.

---@param ok boolean
local function resume(ok, ...)
  jit.on()
  if not ok then
    error((...), 0)
  end
  return ...
end

--- Calls a function, which must not wait: nothing that is called meanwhile is compiled.
---@generic R
---@param f fun(...): R
---@return R
return function(f, ...)
  if not jit or not jit.status() then
    return f(...)
  end
  jit.off()
  return resume(pcall(f, ...))
end
