--- The keys of the transcript and the prompt. No other buffer gets mappings of the chat.
local M = {}

local function keys()
  return require('acp.config').get().keys
end

---@class acp.Key
---@field option string name below `keys`
---@field mode string|string[]
---@field desc string
---@field run? fun(chat: acp.Chat, lhs: string): string|nil nil if the key is mapped only while it is offered
---@field is_expr? boolean `run` returns the keys to use instead

local function send(chat)
  require('acp.chat.prompt').send(chat)
end

local function cancel(chat)
  if vim.api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    vim.cmd.stopinsert()
  end
  require('acp.chat.actions').cancel(chat)
end

local function help()
  local lines = { 'Prompt' }
  local function add(list)
    for _, key in ipairs(list) do
      local modes = type(key.mode) == 'table' and table.concat(key.mode, ' ') or key.mode
      local line = ('  %-8s %-4s %s'):format(keys()[key.option] or '(none)', modes, key.desc)
      table.insert(lines, line)
    end
  end
  add(M.prompt)
  table.insert(lines, 'Chat')
  add(M.transcript)
  vim.api.nvim_echo({ { table.concat(lines, '\n') } }, false, {})
end

local function toggle(chat)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local block = require('acp.chat.frames').block_at(chat.buf, row)
  if block then
    require('acp.host').notify('entry.toggle', { chat = chat.id, block = block })
  end
end

-- The line under the cursor as the host names it.
local function line_under_cursor(chat)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local block, line = require('acp.chat.frames').block_at(chat.buf, row)
  return block and { chat = chat.id, block = block, line = line }
end

local function open(chat)
  local line = line_under_cursor(chat)
  if line then
    require('acp.host').notify('entry.open', line)
  elseif chat.waiting > 0 then
    require('acp.dialogs.question').show(chat)
  end
end

local function compare(chat)
  local line = line_under_cursor(chat)
  if line then
    require('acp.host').notify('entry.compare', line)
  end
end

---@param direction 1|-1
local function jump(direction)
  return function(chat)
    local row = vim.api.nvim_win_get_cursor(0)[1] - 1
    local found = require('acp.chat.frames').prompt_from(chat.buf, row, direction * vim.v.count1)
    if found then
      vim.cmd.normal({ "m'", bang = true })
      vim.api.nvim_win_set_cursor(0, { found + 1, 0 })
    end
  end
end

local function go_to_next_question(chat)
  require('acp.chat.question_keys').go_to_next(chat)
end

local next_question = {
  option = 'next_question',
  mode = 'n',
  desc = 'go to the next waiting question',
  run = go_to_next_question,
}

---@type acp.Key[]
M.prompt = {
  { option = 'send', mode = 'n', desc = 'send', run = send },
  { option = 'send_insert', mode = 'i', desc = 'send', run = send },
  { option = 'cancel', mode = { 'n', 'i' }, desc = 'stop', run = cancel },
  {
    option = 'history_previous',
    mode = { 'n', 'i' },
    desc = 'earlier prompt',
    is_expr = true,
    run = function(chat, lhs)
      return require('acp.chat.history').previous(chat, lhs)
    end,
  },
  {
    option = 'history_next',
    mode = { 'n', 'i' },
    desc = 'later prompt',
    is_expr = true,
    run = function(chat, lhs)
      return require('acp.chat.history').next(chat, lhs)
    end,
  },
  {
    option = 'paste',
    mode = { 'n', 'i' },
    desc = 'paste a picture',
    run = function(chat)
      require('acp.chat.actions').paste(chat)
    end,
  },
  {
    option = 'detach',
    mode = 'n',
    desc = 'remove what is sent along',
    is_expr = true,
    run = function(chat, lhs)
      return require('acp.chat.prompt').detach(chat) and '' or lhs
    end,
  },
  next_question,
  { option = 'mention', mode = { 'n', 'i' }, desc = 'mention the place of pasted lines' },
  { option = 'help', mode = 'n', desc = 'keys', run = help },
}

---@type acp.Key[]
M.transcript = {
  { option = 'toggle', mode = 'n', desc = 'expand or collapse', run = toggle },
  { option = 'open', mode = 'n', desc = 'go to the file or terminal, answer, expand', run = open },
  { option = 'diff', mode = 'n', desc = 'show the change side by side', run = compare },
  { option = 'cancel', mode = 'n', desc = 'stop', run = cancel },
  next_question,
  { option = 'next', mode = { 'n', 'x', 'o' }, desc = 'next prompt', run = jump(1) },
  { option = 'previous', mode = { 'n', 'x', 'o' }, desc = 'previous prompt', run = jump(-1) },
  { option = 'help', mode = 'n', desc = 'keys', run = help },
}

local function map(chat, buf, list)
  for _, key in ipairs(list) do
    local lhs = keys()[key.option]
    if lhs and key.run then
      vim.keymap.set(key.mode, lhs, function()
        return key.run(chat, lhs)
      end, {
        buffer = buf,
        desc = 'acp: ' .. key.desc,
        nowait = true,
        expr = key.is_expr,
      })
    end
  end
end

---@param chat acp.Chat
function M.map_prompt(chat)
  map(chat, chat.prompt, M.prompt)
end

--- The keys for earlier prompts, in another buffer for prompts.
---@param chat acp.Chat
---@param buf integer
function M.map_history(chat, buf)
  map(
    chat,
    buf,
    vim.tbl_filter(function(key)
      return vim.startswith(key.option, 'history_')
    end, M.prompt)
  )
end

---@param chat acp.Chat
function M.map_transcript(chat)
  map(chat, chat.buf, M.transcript)
  require('acp.chat.question_keys').map(chat)
end

--- Keys and what they do, on one line. Keys that are not mapped are left out.
---@param hints { [1]: string|false, [2]: string }[]
---@return string
function M.join_hints(hints)
  local parts = {}
  for _, hint in ipairs(hints) do
    if hint[1] then
      table.insert(parts, hint[1] .. ' ' .. hint[2])
    end
  end
  return table.concat(parts, ' · ')
end

--- The keys shown in an empty prompt. Those of completion are left out if there is no room for them.
---@param is_insert boolean
---@param room integer cells
---@return string
function M.hint(is_insert, room)
  local hints = {
    { keys()[is_insert and 'send_insert' or 'send'], 'send' },
    { keys().cancel, 'stop' },
    { require('acp.config').get().completion == 'auto' and '@ /', 'menu' },
    { not is_insert and keys().help, 'keys' },
  }
  local hint = M.join_hints(hints)
  if not require('acp.ui.text_width').fits(hint, room) then
    hints[3][1] = false
    hint = M.join_hints(hints)
  end
  return hint
end

return M
