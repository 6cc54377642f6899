--- The prompts that wait, as text in a buffer. Writing it with `:w` changes the queue.
local M = {}

local api = vim.api

---@class acp.QueueBuffer
---@field buf integer
---@field base string the text that the user began to change

---@type table<integer, acp.QueueBuffer> by chat
local buffers = {}

local function text_of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

---@param chat acp.Chat
---@return string
local function queue_of(chat)
  return require('acp.chat.prompt.state').queue_text(chat)
end

-- The lines and the winbar, up to a third of the screen.
local function height_for(buf)
  local most = math.floor(vim.o.lines / 3)
  return math.max(3, math.min(api.nvim_buf_line_count(buf) + 1, most))
end

local function winbar()
  local key = require('acp.config').get().keys.queue_send
  local send = key and (' · %s sends one now'):format(key) or ''
  return '%#AcpTitle# Queue%#AcpMuted# · :w saves' .. send .. '%<'
end

---@param chat acp.Chat
local function fill(chat)
  local shown = buffers[chat.id]
  shown.base = queue_of(chat)
  if text_of(shown.buf) ~= shown.base then
    local lines = vim.split(shown.base, '\n', { plain = true })
    api.nvim_buf_set_lines(shown.buf, 0, -1, false, lines)
  end
  vim.bo[shown.buf].modified = false
  local windows = require('acp.ui.windows')
  local above, win = windows.find(chat.buf), windows.find(shown.buf)
  if above and win then
    windows.move_border(above, win, { below = height_for(shown.buf) })
  end
end

---@param chat acp.Chat
---@return boolean|nil is_sent
local function write(chat)
  local shown = buffers[chat.id]
  local payload = { chat = chat.id, base = shown.base, text = text_of(shown.buf) }
  local is_sent = require('acp.host').notify('queue.write', payload)
  if is_sent then
    shown.base = payload.text
    vim.bo[shown.buf].modified = false
    -- Sent again to the next host if this one exits before it has changed the queue.
    chat.queue_write = payload
  end
  return is_sent
end

---@param chat acp.Chat
local function send_at_cursor(chat)
  local shown = buffers[chat.id]
  local lines = api.nvim_buf_get_lines(shown.buf, 0, api.nvim_win_get_cursor(0)[1], false)
  local before = table.concat(lines, '\n')
  local payload = { chat = chat.id, before = before, text = text_of(shown.buf) }
  if vim.bo[shown.buf].modified and not write(chat) then
    return
  end
  require('acp.host').notify('queue.send', payload)
  require('acp.chat.transcript').go_to_end(chat)
end

---@param chat acp.Chat
local function create_buffer(chat)
  local buf = api.nvim_create_buf(false, false)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.of_chat(chat, 'queue'))
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  -- A bullet begins a prompt only in the first column.
  vim.bo[buf].autoindent = false
  buffers[chat.id] = { buf = buf, base = '' }
  fill(chat)
  -- The first text is no change of the user.
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
  require('acp.chat.prompt.write').watch(buf, function()
    write(chat)
  end)
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      buffers[chat.id] = nil
    end,
  })
  local keys = require('acp.config').get().keys
  if keys.queue_send then
    vim.keymap.set('n', keys.queue_send, function()
      send_at_cursor(chat)
    end, { buffer = buf, nowait = true, desc = 'acp: send this prompt now' })
  end
  require('acp.ui.key_help').map(buf, 'Queue')
  require('acp.context.marks').watch(chat.id, buf)
  require('acp.ui.windows').set_filetype(buf, 'acp-queue')
  return buf
end

-- Above the prompt, if there is room.
---@param chat acp.Chat
---@param buf integer
---@param height integer
---@return integer win
local function open_window(chat, buf, height)
  local windows = require('acp.ui.windows')
  local below = windows.find(chat.prompt)
  if below then
    local config = { split = 'above', win = below, height = height }
    local ok, win = pcall(api.nvim_open_win, buf, true, config)
    if ok then
      windows.return_on_close(win)
      return win
    end
  end
  return windows.open_at_edge(buf, 'below', height)
end

--- Opens the queue above the prompt, or goes there.
---@param chat acp.Chat
function M.open(chat)
  local shown = buffers[chat.id]
  local win = shown and vim.fn.bufwinid(shown.buf) or -1
  if win ~= -1 then
    return api.nvim_set_current_win(win)
  elseif queue_of(chat) == '' then
    return require('acp.messages').info('no prompt is queued')
  end
  local buf = shown and shown.buf or create_buffer(chat)
  local height = height_for(buf)
  win = open_window(chat, buf, height)
  require('acp.ui.window_options').set(win, {
    winfixheight = true,
    winbar = winbar(),
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    foldenable = false,
    spell = false,
    wrap = true,
    linebreak = true,
  })
  require('acp.chat.window').set_statusline(win, chat.agent .. ' · queue')
  -- 'equalalways' has changed it.
  require('acp.ui.windows').set_height(win, height)
end

--- The queue has changed. Text that the user is changing stays.
---@param chat acp.Chat
function M.refresh(chat)
  chat.queue_write = nil
  local shown = buffers[chat.id]
  if not shown or vim.bo[shown.buf].modified or text_of(shown.buf) == queue_of(chat) then
    if shown and not vim.bo[shown.buf].modified then
      shown.base = queue_of(chat)
    end
    return
  end
  fill(chat)
end

--- Sends the first prompt of the queue at once.
---@param chat acp.Chat
function M.send_first(chat)
  require('acp.host').notify('queue.send', { chat = chat.id, before = '', text = queue_of(chat) })
  require('acp.chat.transcript').go_to_end(chat)
end

---@param chat acp.Chat
function M.resume(chat)
  require('acp.host').notify('queue.resume', { chat = chat.id })
  require('acp.chat.transcript').go_to_end(chat)
end

---@param chat acp.Chat
function M.pause(chat)
  require('acp.host').notify('queue.pause', { chat = chat.id })
end

--- A chat was closed.
---@param chat acp.Chat
function M.forget(chat)
  local shown = buffers[chat.id]
  if shown then
    pcall(api.nvim_buf_delete, shown.buf, { force = true })
  end
end

return M
