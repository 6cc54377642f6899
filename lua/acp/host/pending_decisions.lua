--- Decisions of the user that the host has not carried out yet. Neovim waits for them before it quits.
local M = {}

local wait_ms, poll_ms = 3000, 5
local is_decision = {
  ['review.decide'] = true,
  ['review.confirm'] = true,
  ['review.undo'] = true,
  ['restore.run'] = true,
}
local pending = 0

--- An operation is being sent to the host.
---@param op string
function M.sent(op)
  if is_decision[op] then
    pending = pending + 1
  end
end

--- The host has carried out a decision, or reported why it could not.
function M.done()
  pending = math.max(0, pending - 1)
end

--- The host has exited; its pending decisions are lost.
function M.forget()
  pending = 0
end

--- Waits for a limited time until all decisions are on disk.
function M.wait()
  if pending > 0 then
    vim.wait(wait_ms, function()
      return pending == 0
    end, poll_ms)
  end
end

return M
