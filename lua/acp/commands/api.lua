--- Functions of the public API that are about one chat.
local M = {}

---@param id integer|nil
---@return acp.Chat|nil
local function find(id)
  local chats = require('acp.chats')
  local chat
  if id then
    chat = chats.get(id)
  else
    chat = chats.current()
  end
  if not chat then
    local message = id and ('there is no chat %s'):format(id)
      or 'there is no chat yet; :AcpChat opens one'
    require('acp.messages').warn(message)
  end
  return chat
end

---@class acp.SendOptions
---@field chat? integer the chat; default: the current one, or a new one with the default agent
---@field callback? fun(turn: acp.Turn) called once, when the turn of the prompt has ended
---@field attachments? string[] files such as `src/a.ts`, and mentions such as `@diagnostics`
---@field steer? boolean whether it is sent into the running turn, if the agent can take it
---@field open? boolean whether the windows of the chat open; default: true

-- Mentions at the end of the text attach what they refer to.
---@param text string
---@param attachments string[]
---@param cwd string
---@return string
local function with_attachments(text, attachments, cwd)
  local mentions = vim.tbl_map(function(word)
    return require('acp.commands.add').mention_of(word, cwd) or '@' .. word
  end, attachments)
  return #mentions == 0 and text or text .. '\n' .. table.concat(mentions, ' ')
end

---@param text string
---@param options acp.SendOptions
---@return integer|nil chat
function M.send(text, options)
  local lifecycle = require('acp.lifecycle')
  local chat
  if options.chat then
    chat = find(options.chat)
  else
    chat = lifecycle.ensure(nil, function()
      M.send(text, options)
    end)
  end
  if not chat then
    return nil
  end
  lifecycle.prepare(chat)
  text = with_attachments(text, options.attachments or {}, chat.cwd)
  if options.open ~= false then
    require('acp.chat.window').open(chat)
  end
  local callbacks = require('acp.attention.callbacks')
  local callback = options.callback and callbacks.add(chat, options.callback)
  local payload = {
    callback = callback,
    steer = options.steer,
    -- Another plugin may send while the user reads the chat.
    is_quiet = vim.api.nvim_get_current_buf() == chat.buf,
  }
  if not require('acp.chat.actions').send(chat, text, payload) and callback then
    local turn =
      { stop_reason = 'not_sent', error = 'the host does not run', text = '', files = {} }
    callbacks.done(callback, turn)
  end
  return chat.id
end

---@param id integer
function M.cancel(id)
  local chat = find(id)
  if chat then
    require('acp.chat.actions').cancel(chat)
  end
end

-- The position of a choice, by its position, its name or its kind.
---@param choices { name: string, kind: string }[]
---@param wanted integer|string
---@return integer|nil
local function position_of(choices, wanted)
  if type(wanted) == 'number' then
    return choices[wanted] and wanted
  end
  for _, key in ipairs({ 'name', 'kind' }) do
    for position, choice in ipairs(choices) do
      if choice[key] == wanted then
        return position
      end
    end
  end
end

---@param question acp.Question
---@param choice integer|string
---@return boolean sent
function M.answer(question, choice)
  local chat = find(question.chat)
  local position = chat and position_of(question.choices, choice)
  if not chat then
    return false
  elseif not position then
    local message = 'the question has no choice %s; :AcpAnswer answers it'
    require('acp.messages').warn(message:format(vim.inspect(choice)))
    return false
  end
  return require('acp.host').notify('question.press', {
    chat = chat.id,
    id = question.question,
    revision = question.revision,
    digit = position,
    -- The caller has the whole text of the question.
    isWhole = true,
  }) == true
end

---@param id integer|nil
---@return string[]
function M.queue(id)
  local chat = find(id)
  return vim.tbl_map(function(prompt)
    return prompt.text
  end, chat and require('acp.chat.prompt.state').queued(chat) or {})
end

---@param id integer|nil
---@return string[]
function M.transcript(id)
  local chat = find(id)
  return chat and chat.buf and vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false) or {}
end

---@param id integer|nil
---@param callback fun(markdown: string|nil, error?: string)
function M.markdown(id, callback)
  local chat = find(id)
  if chat then
    require('acp.host.requests').ask('chat.export', { chat = chat.id }, callback)
  end
end

return M
