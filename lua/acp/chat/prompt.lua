--- The prompt: the buffer the user writes in. Writing it with `:w` sends it.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.chat.prompt')
-- A key pressed within this time after a prompt was returned was meant for something else.
local returned_guard_ms = 500
local retry_ms = 10

---@class acp.ReturnedPrompt
---@field text string
---@field at integer when it was returned, in milliseconds
---@field is_announced? boolean the user was warned that it would be sent with other text

---@class acp.SentPrompt
---@field text string what the buffer has
---@field prompt string what is sent: the text and what is sent along

---@param buf integer
---@return string
function M.text_of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

local function lines_of(text)
  return vim.split(text, '\n', { plain = true })
end

local function is_inserting(buf)
  return api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode:find('^[iR]') ~= nil
end

---@param chat acp.Chat
---@param text string
---@param is_insert boolean
---@return string|nil hint, 'eol'|'right_align'|nil position
local function hint_for(chat, text, is_insert)
  local argument = require('acp.chat.slash_commands').argument_hint(chat, text)
  if argument then
    return (argument:gsub('%c', ' ')), 'eol'
  elseif chat.returned and vim.startswith(text, chat.returned.text) then
    return 'returned, not sent', 'eol'
  end
  if text == '' then
    local room = require('acp.chat.window').prompt_room(chat) - 1
    return require('acp.chat.keys').hint(is_insert, room), 'right_align'
  end
end

---@param chat acp.Chat
---@param is_insert? boolean whether the user is in Insert mode, if an event has just changed that
local function show_hint(chat, is_insert)
  local buf = chat.prompt
  -- `:edit` unloads the buffer for a moment.
  if not buf then
    return
  end
  if is_insert == nil then
    is_insert = is_inserting(buf)
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local hint, position = hint_for(chat, M.text_of(buf), is_insert)
  if hint then
    local options = { virt_text = { { hint, 'AcpHint' } }, virt_text_pos = position }
    api.nvim_buf_set_extmark(buf, ns, 0, 0, options)
  end
  local room = require('acp.chat.window').prompt_room(chat)
  require('acp.context.sent_along').show(chat, M.text_of(buf), is_insert, room)
end

-- Runs after every change of the text, by the user or by the host.
---@param chat acp.Chat
local function refresh(chat)
  -- Neovim must not refuse to quit: drafts are saved elsewhere.
  vim.bo[chat.prompt].modified = false
  show_hint(chat)
  require('acp.chat.window').fit_prompt(chat)
end

-- Changes the text while the user may be typing: waits for the end of a completion or an operator.
---@param chat acp.Chat
---@param run fun(buf: integer)
local function change(chat, run)
  local buf = chat.prompt
  if not buf then
    return
  end
  if not require('acp.buffers.user_activity').is_ready(buf) then
    return vim.defer_fn(function()
      change(chat, run)
    end, retry_ms)
  end
  require('acp.buffers.user_activity').keep(buf, function()
    run(buf)
  end)
  refresh(chat)
end

---@param chat acp.Chat
local function attach(chat)
  local buf = chat.prompt
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if chat.prompt ~= buf then
        return true
      end
      require('acp.chat.drafts').touch(chat)
    end,
  })
end

local function time_of(seconds)
  local is_today = os.date('%F', seconds) == os.date('%F')
  return os.date(is_today and '%H:%M' or '%F %H:%M', seconds)
end

-- Fills the buffer with the draft that was saved before it was unloaded, or before Neovim quit.
---@param chat acp.Chat
local function restore_draft(chat)
  local draft = require('acp.chat.drafts').find(chat)
  if not draft then
    return
  end
  api.nvim_buf_set_lines(chat.prompt, 0, -1, false, lines_of(draft.text))
  vim.bo[chat.prompt].modified = false
  if draft.is_restored then
    local message = ('the draft of %s was restored'):format(time_of(draft.at))
    vim.schedule(function()
      require('acp.messages').info(message)
    end)
  end
end

-- `:edit` unloads a buffer too, and loads it again immediately.
---@param chat acp.Chat
---@param buf integer
local function after_unload(chat, buf)
  if not api.nvim_buf_is_valid(buf) or chat.prompt then
    return
  end
  if api.nvim_buf_is_loaded(buf) then
    chat.prompt = buf
    restore_draft(chat)
    attach(chat)
    return refresh(chat)
  end
  pcall(api.nvim_buf_delete, buf, { force = true })
end

---@param chat acp.Chat
local function watch(chat)
  local buf = chat.prompt
  local group = api.nvim_create_augroup('acp.prompt.' .. chat.id, {})
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
  on({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, function()
    refresh(chat)
  end)
  on('BufEnter', function()
    require('acp.chat.history').load(chat)
    if require('acp.context.sent_along').enter(chat) then
      refresh(chat)
    end
  end)
  on('BufWinEnter', function()
    show_hint(chat)
  end)
  on('BufLeave', function()
    require('acp.context.sent_along').leave(chat)
  end)
  on('InsertEnter', function()
    show_hint(chat, true)
  end)
  on('InsertLeave', function()
    show_hint(chat, false)
    require('acp.chat.drafts').flush(chat)
  end)
  api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = vim.schedule_wrap(function()
      require('acp.chat.window').refit(chat)
    end),
  })
  api.nvim_create_autocmd('WinResized', {
    group = group,
    callback = vim.schedule_wrap(function()
      if chat.prompt then
        show_hint(chat)
      end
    end),
  })
  on('BufUnload', function()
    require('acp.chat.drafts').flush(chat)
    require('acp.chat.history').forget(buf)
    chat.prompt = nil
    vim.schedule(function()
      after_unload(chat, buf)
      require('acp.ui.window_options').reset_others()
    end)
  end)
end

---@param chat acp.Chat
function M.create_buffer(chat)
  require('acp.chat.prompt_buffer').create(chat, 'prompt', function()
    M.send(chat)
  end)
  require('acp.chat.keys').map_prompt(chat)
  require('acp.context.origin').watch()
  restore_draft(chat)
  attach(chat)
  watch(chat)
  show_hint(chat)
end

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
  if vim.uv.now() - returned.at < returned_guard_ms then
    return 'a prompt was just returned unsent; send again to send it'
  end
  local is_above = vim.startswith(text, returned.text .. '\n')
  local is_announced = returned.is_announced
  returned.is_announced = true
  if is_above and not is_announced and vim.trim(text:sub(#returned.text + 1)) ~= '' then
    return 'an unsent prompt was returned above your text; send again to send both'
  end
end

--- Sends the text. It stays in the buffer until the host has accepted it.
---@param chat acp.Chat
function M.send(chat)
  local text = M.text_of(chat.prompt):gsub('\n+$', '')
  if vim.trim(text) == '' then
    return
  end
  local reason = reason_to_wait(chat, text)
  if reason then
    return require('acp.messages').warn(reason)
  end
  local prompt = require('acp.context.sent_along').complete(chat, text)
  chat.returned = nil
  -- It takes a moment to find what the mentions refer to; a second key must not send the text twice.
  if chat.sending and chat.sending.text == text then
    return
  end
  chat.sending = { text = text, prompt = prompt }
  if not require('acp.chat.actions').send(chat, prompt) then
    chat.sending = nil
  end
end

--- Removes the last of what is sent along with the prompt.
---@param chat acp.Chat
---@return boolean was_there
function M.detach(chat)
  local was_there = require('acp.context.sent_along').detach(chat, M.text_of(chat.prompt))
  if was_there then
    vim.schedule(function()
      if chat.prompt then
        refresh(chat)
      end
    end)
  end
  return was_there
end

-- The host has accepted a prompt or given it back.
---@param chat acp.Chat
---@param prompt string
---@return string|nil text what the prompt buffer still has of it, if it was sent from there
local function settle(chat, prompt)
  for index, each in ipairs(chat.unaccepted) do
    if each == prompt then
      table.remove(chat.unaccepted, index)
      break
    end
  end
  local sent = chat.sending
  if sent and sent.prompt == prompt then
    chat.sending = nil
    return sent.text
  end
end

--- Removes a prompt that the host has accepted. Text that was typed since stays.
---@param chat acp.Chat
---@param prompt string
function M.accepted(chat, prompt)
  require('acp.chat.history').remember(chat.cwd, prompt)
  local text = settle(chat, prompt)
  -- A prompt that was sent from elsewhere may be the beginning of the text here.
  if not text then
    return
  end
  require('acp.context.sent_along').accepted(chat)
  change(chat, function(buf)
    local now = M.text_of(buf)
    if not vim.startswith(now, text) then
      return
    end
    local lines = lines_of(text)
    local breaks = #now:sub(#text + 1):match('^\n*')
    local row, column = #lines - 1 + breaks, breaks > 0 and 0 or #lines[#lines]
    api.nvim_buf_set_text(buf, 0, 0, row, column, {})
    local draft = require('acp.chat.history').finish(buf)
    if draft and M.text_of(buf) == '' then
      api.nvim_buf_set_lines(buf, 0, -1, false, lines_of(draft))
    end
  end)
  require('acp.chat.drafts').flush(chat)
end

-- Inserts a text above the current one; the cursor stays in the current text.
---@param buf integer
---@param text string
---@param is_alone boolean there is no text below it
local function put_above(buf, text, is_alone)
  local lines = lines_of(text)
  if not is_alone then
    table.insert(lines, '')
  end
  api.nvim_buf_set_lines(buf, 0, is_alone and -1 or 0, false, lines)
end

--- Puts a prompt that could not be sent above the current text.
---@param chat acp.Chat
---@param text string
function M.give_back(chat, text)
  if settle(chat, text) then
    return
  end
  if not chat.prompt then
    M.create_buffer(chat)
  end
  change(chat, function(buf)
    local now = M.text_of(buf)
    local is_back = chat.returned and chat.returned.text == text and vim.startswith(now, text)
    if now ~= text and not is_back then
      put_above(buf, text, now == '' and not is_inserting(buf))
      chat.returned = { text = text, at = vim.uv.now() }
    end
  end)
end

--- The host is gone. What it had not accepted stays in the prompt buffer, or comes back into it.
---@param chat acp.Chat
function M.recover(chat)
  for _, text in ipairs(vim.fn.reverse(vim.list_slice(chat.unaccepted))) do
    M.give_back(chat, text)
  end
end

--- Shows an earlier prompt that the user chose.
---@param chat acp.Chat
---@param text string
function M.recall(chat, text)
  change(chat, function(buf)
    require('acp.chat.history').recall(chat, buf, text)
  end)
end

--- Puts the beginning of a prompt, requested by the user, above the current text.
---@param chat acp.Chat
---@param text string
function M.begin(chat, text)
  if not chat.prompt then
    M.create_buffer(chat)
  end
  change(chat, function(buf)
    put_above(buf, text, M.text_of(buf) == '')
  end)
end

---@param text string
---@param mention string
---@return boolean
local function has_mention(text, mention)
  return (' ' .. text:gsub('%s', ' ') .. ' '):find(' ' .. mention .. ' ', 1, true) ~= nil
end

-- Mentions follow each other in one line; other text is followed by a new line.
---@param buf integer
---@param mentions string
local function append_mentions(buf, mentions)
  local last = api.nvim_buf_get_lines(buf, -2, -1, false)[1]
  if last == '' then
    api.nvim_buf_set_lines(buf, -2, -1, false, { mentions })
  elseif vim.startswith(last, '@') then
    api.nvim_buf_set_lines(buf, -2, -1, false, { last .. ' ' .. mentions })
  else
    api.nvim_buf_set_lines(buf, -1, -1, false, { mentions })
  end
end

--- Appends mentions to the prompt, except for those that it has.
---@param chat acp.Chat
---@param mentions string[]
---@return integer how many were missing
function M.mention(chat, mentions)
  if not chat.prompt then
    M.create_buffer(chat)
  end
  local text = M.text_of(chat.prompt)
  local missing = vim.tbl_filter(function(mention)
    return not has_mention(text, mention)
  end, mentions)
  if #missing > 0 then
    change(chat, function(buf)
      append_mentions(buf, table.concat(missing, ' '))
    end)
  end
  return #missing
end

-- Where a text is inserted: at the cursor of the window of the prompt, else at the end.
---@param buf integer
---@return integer row, integer column, integer|nil win
local function insert_position(buf)
  local win = api.nvim_get_current_buf() == buf and api.nvim_get_current_win()
    or vim.fn.bufwinid(buf)
  if win == -1 then
    local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
    return #lines - 1, #lines[#lines]
  end
  local row, column = unpack(api.nvim_win_get_cursor(win))
  local line = api.nvim_buf_get_lines(buf, row - 1, row, true)[1]
  -- In Normal mode the text goes behind the character under the cursor, as with `p`.
  if not is_inserting(buf) and column < #line then
    column = column + #vim.fn.matchstr(line:sub(column + 1), '.')
  end
  return row - 1, math.min(column, #line), win
end

--- Inserts a mention at the cursor, with blanks around it. It is an undo step of its own.
---@param chat acp.Chat
---@param text string
function M.insert(chat, text)
  if not chat.prompt then
    M.create_buffer(chat)
  end
  change(chat, function(buf)
    local row, column, win = insert_position(buf)
    local line = api.nvim_buf_get_lines(buf, row, row + 1, true)[1]
    local before, after = line:sub(1, column), line:sub(column + 1)
    local inserted = (before:find('%S$') and ' ' or '') .. text .. (after:find('^%s') and '' or ' ')
    -- Setting it starts a new undo step.
    vim.bo[buf].undolevels = vim.bo[buf].undolevels
    api.nvim_buf_set_text(buf, row, column, row, column, { inserted })
    if win then
      local last = column + #inserted - (is_inserting(buf) and 0 or 1)
      api.nvim_win_set_cursor(win, { row + 1, last })
    end
  end)
end

--- Appends a text to the prompt.
---@param chat acp.Chat
---@param text string
function M.add(chat, text)
  if not chat.prompt then
    M.create_buffer(chat)
  end
  change(chat, function(buf)
    api.nvim_buf_set_lines(buf, -1, -1, false, vim.list_extend({ '' }, lines_of(text)))
  end)
end

return M
