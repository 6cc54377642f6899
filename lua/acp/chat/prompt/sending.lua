--- Sends prompts, and puts back what could not be sent.
local M = {}

local api = vim.api
local prompt_text = require('acp.chat.prompt.text')
-- A key pressed within this time after a prompt was returned was meant for something else.
local returned_guard_ms = 500

---@return number milliseconds in which Neovim could read keys
local function now()
  return require('acp.dialogs.idle').now()
end

---@class acp.ReturnedPrompt
---@field text string
---@field at number when it was returned, in milliseconds
---@field is_announced? boolean the user was warned that it would be sent with other text

---@class acp.SentPrompt
---@field id string
---@field text string what the buffer has
---@field prompt string what is sent: the text and what is sent along
---@field following { text: string, is_steering?: boolean }[] what was typed and sent behind it since
---@field is_accepted? boolean its text is about to be removed from the buffer

-- A returned prompt must not be sent by accident: by a key that was typed before it was returned, or together with the
-- text that the user has written below it.
---@param chat acp.Chat
---@param text string
---@return string|nil reason not to send it
local function reason_to_wait(chat, text)
  local returned = chat.returned
  if not returned then
    return nil
  end
  if now() - returned.at < returned_guard_ms then
    return 'a prompt was just returned unsent; send again to send it'
  end
  local is_above = vim.startswith(text, returned.text .. '\n')
  local is_announced = returned.is_announced
  returned.is_announced = true
  if is_above and not is_announced and vim.trim(text:sub(#returned.text + 1)) ~= '' then
    return 'an unsent prompt was returned above your text; send again to send both'
  end
end

-- Sends what waits in a paused queue. A key that was typed before the queue was paused was meant for something else.
---@param chat acp.Chat
local function resume_queue(chat)
  local state = chat.prompt_state
  if state and state.isPaused and now() - chat.paused_at >= returned_guard_ms then
    require('acp.chat.prompt.queue').resume(chat)
  end
end

--- What the send key does with a prompt now.
---@param chat acp.Chat
---@return 'send'|'queue'|'steer'
function M.action(chat)
  local state = chat.prompt_state
  if not state or not state.isRunning then
    return 'send'
  end
  local is_steering = require('acp.config').get().during_turn == 'steer' and state.canSteer
  return is_steering and 'steer' or 'queue'
end

local last_number = 0

--- An id that no other prompt has, also of another Neovim.
---@return string
function M.new_id()
  last_number = last_number + 1
  return ('%d-%d-%d'):format(vim.fn.getpid(), vim.uv.hrtime(), last_number)
end

---@param chat acp.Chat
---@param text string the beginning of what the buffer has
---@param is_steering? boolean
---@param following? { text: string, is_steering?: boolean }[]
local function submit(chat, text, is_steering, following)
  -- Lines that are pasted into the empty prompt have an empty line above them.
  local prompt = require('acp.context.sent_along').complete(chat, (text:gsub('^%s*\n', '')))
  chat.returned = nil
  local id = M.new_id()
  chat.sending = { id = id, text = text, prompt = prompt, following = following or {} }
  local steer = is_steering or M.action(chat) == 'steer'
  if not require('acp.chat.actions').send(chat, prompt, { id = id, steer = steer }) then
    chat.sending = nil
  end
end

-- The host takes a moment to accept a prompt, and until then its text is above what is typed.
---@param sending acp.SentPrompt
---@param text string
---@return string|nil rest what the user has typed since; nil if they have changed what is being sent
local function text_behind(sending, text)
  for _, sent in ipairs({ sending, unpack(sending.following) }) do
    if not vim.startswith(text, sent.text) then
      return nil
    end
    text = text:sub(#sent.text + 1):gsub('^\n+', '')
  end
  return text
end

--- Sends the text. It stays in the buffer until the host has accepted it.
---@param chat acp.Chat
---@param is_steering? boolean into the running turn, whatever the send key does
function M.send(chat, is_steering)
  local text = prompt_text.of(chat.prompt):gsub('\n+$', '')
  if vim.trim(text) == '' and is_steering then
    return require('acp.messages').info('nothing to send: write in the prompt, or :AcpSteer text')
  elseif vim.trim(text) == '' then
    return resume_queue(chat)
  end
  local rest = chat.sending and text_behind(chat.sending, text)
  if rest then
    -- A second key must not send the text twice.
    if vim.trim(rest) ~= '' then
      table.insert(chat.sending.following, { text = rest, is_steering = is_steering })
    end
    return
  end
  local reason = reason_to_wait(chat, text)
  if reason then
    return require('acp.messages').warn(reason)
  end
  submit(chat, text, is_steering)
end

--- Removes the last of what is sent along with the prompt.
---@param chat acp.Chat
---@return boolean was_there
function M.detach(chat)
  local was_there = require('acp.context.sent_along').detach(chat, prompt_text.of(chat.prompt))
  if was_there then
    vim.schedule(function()
      if chat.prompt then
        prompt_text.refresh(chat)
      end
    end)
  end
  return was_there
end

-- The host has accepted prompts or given them back.
---@param chat acp.Chat
---@param ids string[]
---@return acp.SentPrompt|nil sent if one of them was sent from the prompt buffer
local function settle(chat, ids)
  chat.unaccepted = vim.tbl_filter(function(prompt)
    return not vim.list_contains(ids, prompt.id)
  end, chat.unaccepted)
  local sent = chat.sending
  return sent and vim.list_contains(ids, sent.id) and sent or nil
end

-- Changes the buffer with the text of a prompt that is no longer being sent.
---@param chat acp.Chat
---@param sent acp.SentPrompt
---@param run fun(buf: integer, text: string)
local function change_sent(chat, sent, run)
  if not chat.prompt then
    chat.sending = nil
    return
  end
  prompt_text.change(chat, function(buf)
    if chat.sending == sent then
      chat.sending = nil
    end
    local text = prompt_text.of(buf)
    if vim.startswith(text, sent.text) then
      run(buf, text)
    end
  end)
end

---@param chat acp.Chat
---@param sent acp.SentPrompt
local function send_following(chat, sent)
  local next_one = table.remove(sent.following, 1)
  if next_one and chat.prompt and not chat.sending then
    submit(chat, next_one.text, next_one.is_steering, sent.following)
  end
end

--- Removes a prompt that the host has accepted. Text that was typed since stays.
---@param chat acp.Chat
---@param prompt acp.WaitingPrompt
function M.accepted(chat, prompt)
  chat.is_turn_prepared = nil
  require('acp.chat.history').remember(chat.cwd, prompt.text)
  local sent = settle(chat, { prompt.id })
  -- A prompt that was sent from elsewhere may be the beginning of the text here.
  if not sent then
    return require('acp.chat.drafts').touch(chat)
  end
  require('acp.context.sent_along').accepted(chat)
  sent.is_accepted = true
  change_sent(chat, sent, function(buf, current)
    local lines = prompt_text.lines(sent.text)
    local breaks = #current:sub(#sent.text + 1):match('^\n*')
    local row, column = #lines - 1 + breaks, breaks > 0 and 0 or #lines[#lines]
    api.nvim_buf_set_text(buf, 0, 0, row, column, {})
    local draft = require('acp.chat.history').finish(buf)
    if draft and prompt_text.of(buf) == '' then
      api.nvim_buf_set_lines(buf, 0, -1, false, prompt_text.lines(draft))
    end
    vim.schedule(function()
      send_following(chat, sent)
    end)
  end)
  require('acp.chat.drafts').save(chat)
end

-- Text that was typed behind it is another prompt.
---@param chat acp.Chat
---@param sent acp.SentPrompt
local function keep_apart(chat, sent)
  change_sent(chat, sent, function(buf, current)
    local is_behind = current:sub(#sent.text + 1):match('^[^\n]') ~= nil
    if is_behind then
      local lines = prompt_text.lines(sent.text)
      local row, column = #lines - 1, #lines[#lines]
      api.nvim_buf_set_text(buf, row, column, row, column, { '', '', '' })
    end
    -- It is a part of the draft again.
    require('acp.chat.drafts').touch(chat)
  end)
end

--- Puts prompts that could not be sent above the current text.
---@param chat acp.Chat
---@param ids string[]
---@param text string all of them
function M.give_back(chat, ids, text)
  local sent = settle(chat, ids)
  local is_known = require('acp.chat.prompt.state').came_back(chat, ids)
  if sent and not sent.is_accepted then
    return keep_apart(chat, sent)
  elseif is_known then
    return
  end
  require('acp.chat.prompt').ensure_buffer(chat)
  -- The change may wait for the user, and Neovim may be killed until then.
  table.insert(chat.returning, 1, text)
  prompt_text.change(chat, function(buf)
    table.remove(chat.returning)
    local is_alone = prompt_text.of(buf) == '' and not prompt_text.is_inserting(buf)
    prompt_text.put_above(buf, text, is_alone)
    chat.returned = { text = text, at = now() }
  end)
  if #chat.returning > 0 then
    local drafts = require('acp.chat.drafts')
    drafts.touch(chat)
    drafts.flush(chat)
  end
end

--- The host is gone. What it had not accepted stays in the prompt buffer, or comes back into it.
---@param chat acp.Chat
function M.recover(chat)
  require('acp.chat.prompt.state').forget_host(chat)
  for _, prompt in ipairs(vim.fn.reverse(vim.list_slice(chat.unaccepted))) do
    M.give_back(chat, { prompt.id }, prompt.text)
  end
end

--- The chat or Neovim is about to end. What the host has not accepted is a part of the draft.
---@param chat acp.Chat
function M.finish(chat)
  M.recover(chat)
  prompt_text.finish_changes(chat)
end

return M
