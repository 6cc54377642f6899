--- The functions that are called when the turn of a prompt has ended.
local M = {}

---@class acp.Turn
---@field stop_reason string why it ended
---@field error? string what went wrong
---@field text string what the agent said
---@field files { path: string, added: integer, removed: integer }[] what it changed
---@field duration? integer in milliseconds
---@field usage? { used: integer, size: integer, cost?: number, currency?: string }

---@type table<integer, { chat: integer, run: fun(turn: acp.Turn) }>
local waiting = {}
local last_id = 0

---@param chat acp.Chat
---@param run fun(turn: acp.Turn)
---@return integer id
function M.add(chat, run)
  last_id = last_id + 1
  waiting[last_id] = { chat = chat.id, run = run }
  return last_id
end

---@param id integer
---@param turn acp.Turn
function M.done(id, turn)
  local callback = waiting[id]
  waiting[id] = nil
  if callback then
    vim.schedule(function()
      callback.run(turn)
    end)
  end
end

--- Ends the waiting for all prompts of a chat.
---@param chat acp.Chat
---@param stop_reason string
---@param reason string
function M.give_up(chat, stop_reason, reason)
  for id, callback in pairs(waiting) do
    if callback.chat == chat.id then
      M.done(id, { stop_reason = stop_reason, error = reason, text = '', files = {} })
    end
  end
end

return M
