--- Decisions of the user that the host has not carried out yet. Neovim waits for these before it ends.
local M = {}

local wait_ms, look_ms = 3000, 5
local is_decision = {
  ['review.decide'] = true,
  ['review.outside'] = true,
  ['review.undo'] = true,
  ['restore.take'] = true,
}
local owed = 0

--- The host is told something.
---@param op string
function M.sent(op)
  if is_decision[op] then
    owed = owed + 1
  end
end

--- The host has carried out one of them, or has said why it could not.
function M.done()
  owed = math.max(0, owed - 1)
end

--- The host is gone, and what it had not done is not done.
function M.forget()
  owed = 0
end

--- Waits for a limited time until all of them are on disk.
function M.wait()
  if owed > 0 then
    vim.wait(wait_ms, function()
      return owed == 0
    end, look_ms)
  end
end

return M
