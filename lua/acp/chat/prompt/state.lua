--- What the host reports about the prompt: what the send key does, the prompts that wait, and suggestions.
local M = {}

---@class acp.PromptState what the host has reported last
---@field isRunning boolean
---@field canSteer boolean the agent takes prompts into the running turn
---@field queued string[] the prompts that wait
---@field queue string all of them as one text
---@field isPaused boolean some of them wait until the user resumes the queue
---@field suggestion? string

---@param chat acp.Chat
---@param state acp.PromptState
function M.set(chat, state)
  local before = chat.prompt_state
  if state.isPaused and not (before and before.isPaused) then
    chat.paused_at = vim.uv.now()
  end
  chat.prompt_state = state
  chat.recovered = nil
  if state.queue ~= '' then
    chat.queue_to_restore = nil
  end
  if not before or before.queue ~= state.queue then
    require('acp.chat.drafts').touch(chat)
  end
  require('acp.chat.prompt.queue').refresh(chat)
  require('acp.chat.prompt.hint').show(chat)
end

--- The host has exited. The next one learns what this one had not accepted, because that stays in the prompt buffer. So
--- does what this one was to learn of those before it.
---@param chat acp.Chat
function M.forget_host(chat)
  chat.recovered = vim.list_extend(chat.recovered or {}, chat.unaccepted)
  if chat.prompt_state then
    local idle = { isRunning = false, canSteer = false }
    chat.prompt_state = vim.tbl_extend('force', chat.prompt_state, idle)
  end
end

return M
