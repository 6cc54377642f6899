--- The small window at the cursor that asks about code. Its text stays until it is sent.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.ask')

---@class acp.Ask
---@field win integer
---@field origin integer the window the user came from
---@field attached string[] mentions that are sent with the text

---@type table<integer, acp.Ask> the open windows, by chat
local open = {}
---@type table<integer, string[]> what was attached last to the text that is not sent, by chat
local attached_last = {}
---@type table<integer, { text: string, prompt: string }> what is being sent: the text of the buffer, and all of it
local sending = {}

---@param text string
---@param attached string[]|nil
local function with_attached(text, attached)
  return require('acp.context.append').mentions(text, table.concat(attached or {}, ' '))
end

local function text_of(buf)
  return (require('acp.chat.prompt.text').of(buf):gsub('%s+$', ''))
end

-- What the agent expects after a slash command.
---@param chat acp.Chat
local function show_argument_hint(chat)
  api.nvim_buf_clear_namespace(chat.ask, ns, 0, -1)
  local text = require('acp.chat.prompt.text').of(chat.ask)
  local hint = require('acp.chat.slash_commands').argument_hint(chat, text)
  if hint then
    local chunks = { { (hint:gsub('%c', ' ')), 'AcpHint' } }
    api.nvim_buf_set_extmark(chat.ask, ns, 0, 0, { virt_text = chunks, virt_text_pos = 'eol' })
  end
end

---@param chat acp.Chat
local function refresh(chat)
  -- Neovim must not refuse to quit.
  vim.bo[chat.ask].modified = false
  show_argument_hint(chat)
  local ask = open[chat.id]
  if ask and api.nvim_win_is_valid(ask.win) then
    require('acp.ask.window').fit(ask.win)
  end
end

---@param chat acp.Chat
---@param is_insert? boolean whether the user is in Insert mode, if an event has just changed that
local function label(chat, is_insert)
  local ask = open[chat.id]
  if ask and api.nvim_win_is_valid(ask.win) then
    require('acp.ask.window').label(ask.win, chat, ask.attached, is_insert)
  end
end

-- The text that is not sent, with what it is about.
---@param chat acp.Chat
---@return string
local function unsent(chat)
  local is_loaded = chat.ask and api.nvim_buf_is_loaded(chat.ask)
  local text = is_loaded and require('acp.chat.history').unsaved_text(chat.ask) or ''
  return vim.trim(text) == '' and ''
    or with_attached((text:gsub('%s+$', '')), attached_last[chat.id])
end

-- Puts a text that was not sent into the draft of the chat, because its buffer is gone.
---@param chat acp.Chat
---@param text string
local function keep(chat, text)
  if text ~= '' then
    require('acp.chat.prompt.insert').add(chat, text)
    require('acp.chat.drafts').flush(chat)
  end
end

---@param chat acp.Chat
---@param buf integer
local function save_with_draft(chat, buf)
  local drafts = require('acp.chat.drafts')
  drafts.include(chat, function()
    return unsent(chat)
  end)
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if chat.ask ~= buf then
        return true
      end
      drafts.touch(chat, buf)
    end,
  })
end

---@param chat acp.Chat
local function create_buffer(chat)
  local buf = require('acp.chat.prompt.buffer').create(chat, 'ask', function()
    M.send(chat)
  end, function()
    refresh(chat)
  end)
  require('acp.ask.keys').map(chat, buf)
  local autocommands = require('acp.ui.autocommands')
  local on = autocommands.group('ask.' .. chat.id, buf)
  on(autocommands.text_changed, function()
    refresh(chat)
  end)
  on('InsertEnter', function()
    label(chat, true)
  end)
  on('InsertLeave', function()
    label(chat, false)
  end)
  on('BufUnload', function()
    local text = unsent(chat)
    require('acp.chat.history').forget(buf)
    chat.ask = nil
    keep(chat, text)
  end)
  save_with_draft(chat, buf)
  autocommands.group_of_chat('ask.screen', chat)('VimResized', function()
    local ask = open[chat.id]
    if ask and api.nvim_win_is_valid(ask.win) then
      require('acp.ask.window').move(ask.win, ask.origin)
    end
  end)
end

--- Opens the window at the cursor, with the text that was not sent.
---@param chat acp.Chat
---@param attached string[]
function M.open(chat, attached)
  local earlier = open[chat.id]
  if earlier and api.nvim_win_is_valid(earlier.win) then
    api.nvim_win_close(earlier.win, true)
  end
  if not chat.ask then
    create_buffer(chat)
  end
  local origin = api.nvim_get_current_win()
  local win = require('acp.ask.window').open(chat.ask, origin)
  open[chat.id] = { win = win, origin = origin, attached = attached }
  attached_last[chat.id] = attached
  require('acp.chat.drafts').touch(chat, chat.ask)
  label(chat, true)
  refresh(chat)
  vim.cmd.startinsert({ bang = true })
end

-- Leaving Insert mode moves the cursor, so it must happen before the window closes.
---@param done fun()
local function in_normal_mode(done)
  if api.nvim_get_mode().mode:sub(1, 1) ~= 'i' then
    return done()
  end
  api.nvim_create_autocmd('ModeChanged', {
    pattern = 'i*:[^i]*',
    once = true,
    callback = vim.schedule_wrap(done),
  })
  vim.cmd.stopinsert()
end

--- Closes the window and goes back to where the user came from.
---@param chat acp.Chat
---@param done? fun()
function M.close(chat, done)
  in_normal_mode(function()
    local ask = open[chat.id]
    open[chat.id] = nil
    if ask and api.nvim_win_is_valid(ask.origin) then
      api.nvim_set_current_win(ask.origin)
    end
    if ask and api.nvim_win_is_valid(ask.win) then
      api.nvim_win_close(ask.win, true)
    end
    if done then
      done()
    end
  end)
end

--- Sends the text with what is attached. It stays in the buffer until the host has accepted it.
---@param chat acp.Chat
function M.send(chat)
  local text, ask = text_of(chat.ask), open[chat.id]
  if vim.trim(text) == '' then
    return require('acp.messages').info('write a question first; :AcpSend sends lines without one')
  end
  local prompt = with_attached(text, ask and ask.attached)
  sending[chat.id] = { text = text, prompt = prompt }
  M.close(chat, function()
    require('acp.chat.window').open(chat)
    require('acp.chat.actions').send(chat, prompt)
  end)
end

--- Removes the last of what is attached.
---@param chat acp.Chat
function M.detach(chat)
  local ask = open[chat.id]
  if ask and table.remove(ask.attached) then
    require('acp.chat.drafts').touch(chat, chat.ask)
    label(chat)
  end
end

--- Removes a text that the host has accepted.
---@param chat acp.Chat
---@param prompt string
function M.accepted(chat, prompt)
  local sent = sending[chat.id]
  if not sent or sent.prompt ~= prompt then
    return
  end
  sending[chat.id] = nil
  if chat.ask and text_of(chat.ask) == sent.text then
    require('acp.chat.history').finish(chat.ask)
    api.nvim_buf_set_lines(chat.ask, 0, -1, false, {})
    refresh(chat)
  end
end

--- Forgets a chat that is closed.
---@param chat acp.Chat
function M.forget(chat)
  M.close(chat)
  if chat.ask then
    pcall(api.nvim_buf_delete, chat.ask, { force = true })
  end
  sending[chat.id], attached_last[chat.id] = nil, nil
  require('acp.chat.drafts').forget(chat)
end

return M
