--- What the host reports about the prompt: what the send key does, the prompts that wait, and suggestions.
local M = {}

---@class acp.WaitingPrompt
---@field id string tells it from another prompt with the same text
---@field text string

---@class acp.QueuedPrompt: acp.WaitingPrompt
---@field item string the prompt in the text that the user can edit

---@class acp.PromptState what the host has reported last
---@field isRunning boolean
---@field canSteer boolean the agent takes prompts into the running turn
---@field queued acp.QueuedPrompt[] the prompts that wait
---@field isPaused boolean some of them wait until the user resumes the queue
---@field unsent? acp.WaitingPrompt the prompt of the turn, which the agent has not got yet
---@field suggestion? string
---@field is_of_earlier_host? boolean

-- The next host is told which prompts came back last.
local max_recovered = 100

--- The prompts that wait.
---@param chat acp.Chat
---@return acp.QueuedPrompt[]
function M.queued(chat)
  return chat.prompt_state and chat.prompt_state.queued or {}
end

--- The prompts that the agent has not got: the one of the turn, and those that wait.
---@param chat acp.Chat
---@return acp.WaitingPrompt[]
function M.unsent(chat)
  local first = chat.prompt_state and chat.prompt_state.unsent
  return vim.list_extend(first and { first } or {}, M.queued(chat))
end

--- The prompts that wait, as one text that the user can edit.
---@param chat acp.Chat
---@return string
function M.queue_text(chat)
  local items = vim.tbl_map(function(prompt)
    return prompt.item
  end, M.queued(chat))
  return table.concat(items, '\n')
end

---@param chat acp.Chat
---@param state acp.PromptState
function M.set(chat, state)
  local before, unsent_before = chat.prompt_state, M.unsent(chat)
  if state.isPaused and not (before and before.isPaused) then
    chat.paused_at = require('acp.dialogs.idle').now()
  end
  chat.prompt_state = state
  if not before or not vim.deep_equal(unsent_before, M.unsent(chat)) then
    require('acp.chat.drafts').touch(chat)
  end
  require('acp.chat.prompt.queue').refresh(chat)
  require('acp.chat.prompt.hint').show(chat)
end

--- Prompts came back into the prompt buffer, so they do not wait any more. The host may exit before it has noted that.
---@param chat acp.Chat
---@param ids string[]
---@return boolean is_known all of them had come back before
function M.came_back(chat, ids)
  local recovered = chat.recovered or {}
  local new = vim.tbl_filter(function(id)
    return not vim.list_contains(recovered, id)
  end, ids)
  chat.recovered = vim.list_extend(recovered, new)
  while #chat.recovered > max_recovered do
    table.remove(chat.recovered, 1)
  end
  local unsent = M.unsent(chat)
  local function is_left(prompt)
    return not vim.list_contains(ids, prompt.id)
  end
  local state = chat.prompt_state
  if state then
    state.queued = vim.tbl_filter(is_left, state.queued)
    state.unsent = state.unsent and is_left(state.unsent) and state.unsent or nil
  end
  if #M.unsent(chat) < #unsent then
    require('acp.chat.drafts').touch(chat)
  end
  return #ids > 0 and #new == 0
end

--- The host has exited.
---@param chat acp.Chat
function M.forget_host(chat)
  if chat.prompt_state then
    local idle = { isRunning = false, canSteer = false, is_of_earlier_host = true }
    chat.prompt_state = vim.tbl_extend('force', chat.prompt_state, idle)
  end
end

return M
