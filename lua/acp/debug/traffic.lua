--- The window with the protocol messages of a connection: one line each, which expands to its JSON.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.debug.traffic')

---@class acp.TrafficBatch
---@field chat integer
---@field isNew boolean replaces everything in the window
---@field oldest integer number of the first message the host still has
---@field missed integer number of messages that arrived too fast to be shown
---@field lines { number: integer, text: string }[]

-- The ids of extmarks begin at 1, the numbers of messages at 0.
local function row_of(buf, number)
  return api.nvim_buf_get_extmark_by_id(buf, ns, number + 1, {})[1]
end

-- The message a line belongs to, and the row of its heading.
local function message_at(buf, row)
  local mark = api.nvim_buf_get_extmarks(buf, ns, { row, -1 }, 0, { limit = 1 })[1]
  if mark then
    return mark[1] - 1, mark[2]
  end
end

local function write(buf, first, last, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, first, last, true, lines)
  vim.bo[buf].modifiable = false
end

local function end_of_message(buf, row)
  local below = api.nvim_buf_get_extmarks(buf, ns, { row + 1, 0 }, -1, { limit = 1 })[1]
  local stop = below and below[2] or api.nvim_buf_line_count(buf)
  local last = row + 1
  while last < stop and api.nvim_buf_get_lines(buf, last, last + 1, true)[1]:sub(1, 1) == ' ' do
    last = last + 1
  end
  return last
end

-- Scrolls to the lines below a message, as far as it stays in sight itself.
---@param buf integer
---@param row integer of the message, 0-based
---@param count integer
local function reveal(buf, row, count)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local hidden = row + 1 + count - vim.fn.line('w$', win)
    if hidden > 0 and api.nvim_win_get_cursor(win)[1] == row + 1 then
      local topline = math.min(row + 1, vim.fn.line('w0', win) + hidden)
      api.nvim_win_call(win, function()
        vim.fn.winrestview({ topline = topline })
      end)
    end
  end
end

-- Expands a message, unless it was expanded or removed meanwhile.
---@param buf integer
---@param number integer
---@param lines string[]|nil
---@param problem string|nil
local function show_message(buf, number, lines, problem)
  local row = api.nvim_buf_is_valid(buf) and row_of(buf, number)
  if not lines or #lines == 0 then
    local reason = problem or 'this message is no longer kept; :AcpRecord keeps them all'
    require('acp.messages').warn(reason)
  elseif row and end_of_message(buf, row) == row + 1 then
    write(buf, row + 1, row + 1, lines)
    reveal(buf, row, #lines)
  end
end

--- Expands or collapses the message under the cursor.
---@param chat acp.Chat
function M.toggle(chat)
  local buf = chat.traffic
  local number, row = message_at(buf, api.nvim_win_get_cursor(0)[1] - 1)
  if not number then
    return
  end
  local last = end_of_message(buf, row)
  if last > row + 1 then
    api.nvim_win_set_cursor(0, { row + 1, 0 })
    return write(buf, row + 1, last, {})
  end
  local payload = { chat = chat.id, number = number }
  require('acp.host.requests').ask('traffic.message', payload, function(lines, problem)
    show_message(buf, number, lines, problem)
  end)
end

-- On a line of JSON the key folds, as everywhere else.
local function fold_or_toggle(chat)
  if vim.startswith(api.nvim_get_current_line(), ' ') then
    return pcall(vim.cmd.normal, { 'za', bang = true })
  end
  M.toggle(chat)
end

local function jump(flags)
  return function()
    local left = vim.v.count1
    while left > 0 and vim.fn.search([[^\S]], flags .. 'W') > 0 do
      left = left - 1
    end
  end
end

local function map(chat, buf)
  local keys = require('acp.config').get().keys
  local list = {
    { keys.open, M.toggle, 'expand or collapse' },
    { keys.toggle, fold_or_toggle, 'expand or collapse, or fold' },
    { keys.next, jump(''), 'next message' },
    { keys.previous, jump('b'), 'previous message' },
  }
  for _, key in ipairs(list) do
    if key[1] then
      vim.keymap.set('n', key[1], function()
        key[2](chat)
      end, { buffer = buf, desc = 'acp: ' .. key[3], nowait = true })
    end
  end
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'acp: close', nowait = true })
  require('acp.ui.key_help').map(buf, 'Traffic')
end

local function create_buffer(chat)
  local buf = api.nvim_create_buf(false, true)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.of_chat(chat, 'traffic'))
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  vim.bo[buf].shiftwidth = 2
  chat.traffic = buf
  map(chat, buf)
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      chat.traffic = nil
      if require('acp.chats').get(chat.id) then
        require('acp.host').notify_if_running('traffic.close', { chat = chat.id })
      end
    end,
  })
  require('acp.ui.autocommands').on_edit(buf, function()
    require('acp.host').notify_if_running('traffic.open', { chat = chat.id })
  end)
  return buf
end

local function open_window(chat, buf)
  local win = require('acp.ui.windows').open_at_edge(buf, 'below')
  local options = {
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    list = false,
    spell = false,
    wrap = false,
    foldenable = true,
    foldmethod = 'indent',
    foldlevel = 99,
    foldtext = '',
    statusline = (' messages of %s%%= %s opens · q closes '):format(
      require('acp.ui.winbar').escape(chat.agent),
      require('acp.config').get().keys.open or ''
    ),
  }
  require('acp.ui.window_options').set(win, options)
  require('acp.ui.windows.kept').keep_until_closed(win)
end

--- Opens the window, or goes to it.
---@param chat acp.Chat
function M.open(chat)
  local win = chat.traffic and vim.fn.win_findbuf(chat.traffic)[1]
  if win then
    return api.nvim_set_current_win(win)
  end
  local buf = create_buffer(chat)
  open_window(chat, buf)
  vim.bo[buf].filetype = 'acp-traffic'
  require('acp.host').notify('traffic.open', { chat = chat.id })
end

-- Removes the messages that the host no longer keeps.
local function trim(buf, oldest)
  local first = api.nvim_buf_get_extmarks(buf, ns, 0, -1, { limit = 1 })[1]
  if not first or first[1] - 1 >= oldest then
    return
  end
  local row = row_of(buf, oldest) or api.nvim_buf_line_count(buf)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, { row, 0 }, {})) do
    if mark[1] - 1 < oldest then
      api.nvim_buf_del_extmark(buf, ns, mark[1])
    end
  end
  write(buf, 0, row, {})
end

local function append(buf, batch)
  local texts = {}
  if batch.missed > 0 then
    table.insert(texts, ('… %d messages arrived too fast to be shown'):format(batch.missed))
  end
  local before = #texts
  for _, line in ipairs(batch.lines) do
    table.insert(texts, line.text)
  end
  local is_empty = api.nvim_buf_line_count(buf) == 1
    and api.nvim_buf_get_lines(buf, 0, 1, true)[1] == ''
  local row = is_empty and 0 or api.nvim_buf_line_count(buf)
  write(buf, row, is_empty and 1 or row, texts)
  for index, line in ipairs(batch.lines) do
    api.nvim_buf_set_extmark(buf, ns, row + before + index - 1, 0, { id = line.number + 1 })
  end
end

--- Adds a batch of messages. The host sends the next one after the answer.
---@param batch acp.TrafficBatch
---@return 'shown'|'gone'
function M.add(batch)
  local chat = require('acp.chats').get(batch.chat)
  local buf = chat and chat.traffic
  if not buf or not api.nvim_buf_is_valid(buf) then
    return 'gone'
  end
  local following = require('acp.ui.scroll').followers(buf)
  if batch.isNew then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    write(buf, 0, -1, {})
  end
  trim(buf, batch.oldest)
  if #batch.lines > 0 then
    append(buf, batch)
  end
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
  return 'shown'
end

return M
