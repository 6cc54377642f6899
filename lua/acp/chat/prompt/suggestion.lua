--- What the agent suggests as the next prompt: text in the empty prompt that a key takes over.
local M = {}

local api = vim.api

---@param chat acp.Chat
---@return string|nil
function M.of(chat)
  local state = chat.prompt_state
  return state and require('acp.config').get().suggestions and state.suggestion or nil
end

---@param chat acp.Chat
local function withdraw(chat)
  if chat.suggestion_key then
    require('acp.ui.mappings.temporary').unmap(chat.suggestion_key)
    chat.suggestion_key = nil
  end
end

-- Types the key again, so that it does what it does without a suggestion.
---@param chat acp.Chat
local function pass_on(chat)
  local key = chat.suggestion_key.key
  withdraw(chat)
  api.nvim_feedkeys(vim.keycode(key), 'mit', false)
  -- The key is offered again once it was handled.
  vim.schedule(function()
    if chat.prompt then
      M.offer(chat)
    end
  end)
end

---@param chat acp.Chat
local function take(chat)
  local text = M.of(chat)
  -- Neovim reports a change only after the keys that were typed with it.
  local is_empty = require('acp.ui.buffer_text').is_empty(chat.prompt)
  if not text or not is_empty or require('acp.ui.completion_menu').is_open() then
    return pass_on(chat)
  end
  withdraw(chat)
  api.nvim_buf_set_lines(chat.prompt, 0, -1, false, { text })
  api.nvim_win_set_cursor(0, { 1, #text })
end

--- Maps the key while there is a suggestion in the empty prompt.
---@param chat acp.Chat
function M.offer(chat)
  local key = require('acp.config').get().keys.suggestion
  local is_offered = key and M.of(chat) and require('acp.ui.buffer_text').is_empty(chat.prompt)
  if not is_offered then
    return withdraw(chat)
  elseif chat.suggestion_key then
    return
  end
  local function run()
    take(chat)
  end
  chat.suggestion_key = require('acp.ui.mappings.temporary').map(
    chat.prompt,
    key,
    { i = run, n = run },
    'take the suggestion of the agent'
  )
end

--- The prompt buffer is gone.
---@param chat acp.Chat
function M.forget(chat)
  chat.suggestion_key = nil
end

return M
