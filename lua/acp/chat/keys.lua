--- The keys of the transcript and the prompt. No other buffer gets mappings of the chat.
local M = {}

local references = require('acp.chat.navigation.references')
local code_blocks = require('acp.chat.navigation.code_blocks')

local function keys()
  return require('acp.config').get().keys
end

---@class acp.Key
---@field option string name below `keys`
---@field mode string|string[]
---@field desc string
---@field run? fun(chat: acp.Chat, lhs: string): string|nil nil if the key is mapped only while it is offered
---@field is_expr? boolean `run` returns the keys to use instead

local function send(chat, lhs)
  if require('acp.dialogs.select').has_just_closed() then
    local message = 'ignored %s, which was typed just after a list was closed'
    return require('acp.messages').info(message:format(lhs))
  end
  require('acp.chat.prompt.sending').send(chat)
end

-- Many leave Insert mode with <C-c>, so it stops nothing there unless the user wants that.
local function cancel(chat)
  local is_insert = vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
  if is_insert then
    vim.cmd.stopinsert()
  end
  if not is_insert or require('acp.config').get().stop_from_insert then
    require('acp.chat.actions').cancel(chat)
  end
end

local function open(chat)
  if not references.open(chat) and chat.waiting > 0 then
    require('acp.dialogs.question').show(chat)
  end
end

local function compare(chat)
  local line = references.line_under_cursor(chat)
  if line then
    require('acp.host').notify('entry.compare', line)
  end
end

local function stop_subagent(chat)
  local line = references.line_under_cursor(chat)
  if line then
    require('acp.host').notify('subagent.stop', { chat = chat.id, block = line.block })
  end
end

local movement = require('acp.chat.navigation.movement')

-- Keys that are not options: they go where they would write if the transcript could be written.
local insert_keys = { 'i', 'a', 'o', 'I', 'A', 'O' }

local function fold(is_open)
  return function(chat)
    movement.fold(chat, is_open)
  end
end

local function fold_all(is_open)
  return function(chat)
    movement.fold_all(chat, is_open)
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

-- A menu and a snippet use such keys too.
local function cycle_mode(chat, lhs)
  local mode = vim.api.nvim_get_mode().mode:sub(1, 1)
  local is_in_snippet = vim.snippet.active({ direction = -1 })
  if mode == 'i' and (is_in_snippet or require('acp.ui.completion_menu').is_open()) then
    return require('acp.ui.mappings.shadowed_key').press(lhs, 'i')
  end
  require('acp.chat.actions').cycle(chat, 'mode')
end

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
      return require('acp.chat.prompt.sending').detach(chat) and '' or lhs
    end,
  },
  { option = 'cycle_mode', mode = { 'n', 'i' }, desc = 'next mode', run = cycle_mode },
  next_question,
  { option = 'mention', mode = { 'n', 'i' }, desc = 'mention the place of pasted lines' },
}

local motion = { 'n', 'x', 'o' }

---@type acp.Key[]
M.transcript = {
  { option = 'toggle', mode = 'n', desc = 'expand or collapse', run = fold() },
  { option = 'expand', mode = 'n', desc = 'expand', run = fold(true) },
  { option = 'collapse', mode = 'n', desc = 'collapse', run = fold(false) },
  { option = 'expand_all', mode = 'n', desc = 'expand all', run = fold_all(true) },
  { option = 'collapse_all', mode = 'n', desc = 'collapse all', run = fold_all(false) },
  { option = 'open', mode = 'n', desc = 'go to the file or terminal, answer, expand', run = open },
  { option = 'diff', mode = 'n', desc = 'show the change side by side', run = compare },
  { option = 'yank_code', mode = 'n', desc = 'yank the code block', run = code_blocks.yank },
  { option = 'put_code', mode = 'n', desc = 'put the code into its file', run = code_blocks.put },
  { option = 'cancel', mode = 'n', desc = 'stop', run = cancel },
  { option = 'stop_subagent', mode = 'n', desc = 'stop the subagent', run = stop_subagent },
  next_question,
  { option = 'next', mode = motion, desc = 'next prompt', run = movement.to_prompt(1) },
  { option = 'previous', mode = motion, desc = 'previous prompt', run = movement.to_prompt(-1) },
  { option = 'next_tool', mode = motion, desc = 'next tool call', run = movement.to_tool(1) },
  {
    option = 'previous_tool',
    mode = motion,
    desc = 'previous tool call',
    run = movement.to_tool(-1),
  },
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

local titles = { buf = 'Chat', prompt = 'Prompt' }

-- The help of either window has the keys of both.
---@param chat acp.Chat
---@param part 'buf'|'prompt'
local function map_help(chat, part)
  local other = part == 'buf' and 'prompt' or 'buf'
  require('acp.ui.key_help').map(chat[part], titles[part], {
    others = function()
      return chat[other] and { { title = titles[other], buf = chat[other] } } or {}
    end,
  })
end

---@param chat acp.Chat
function M.map_prompt(chat)
  map(chat, chat.prompt, M.prompt)
  references.map_prompt(chat)
  map_help(chat, 'prompt')
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
  for _, key in ipairs(insert_keys) do
    vim.keymap.set('n', key, function()
      movement.write(chat, key)
    end, { buffer = chat.buf, desc = 'acp: write in the prompt', nowait = true })
  end
  references.map_transcript(chat)
  require('acp.chat.navigation.insert_mode').watch(chat, chat.buf)
  require('acp.chat.question_keys').map(chat)
  require('acp.ui.mappings.interrupts').watch()
  map_help(chat, 'buf')
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

-- In Insert mode the first one only leaves that mode.
---@param is_insert boolean
---@return string|false
local function stop_keys(is_insert)
  local key = keys().cancel
  local is_second = is_insert and not require('acp.config').get().stop_from_insert
  return key and (is_second and key .. key or key)
end

-- What the send key does in the empty prompt, else with a prompt.
---@param chat acp.Chat
---@return string
local function send_word(chat)
  local state = chat.prompt_state
  if state and state.isPaused then
    return 'resume the queue'
  end
  return require('acp.chat.prompt.sending').action(chat)
end

---@param chat acp.Chat
---@return boolean
local function is_running(chat)
  return chat.prompt_state ~= nil and chat.prompt_state.isRunning
end

-- The key to the question that waits. In Insert mode it is text.
---@param chat acp.Chat
---@param is_insert boolean
---@return string|false
local function answer_keys(chat, is_insert)
  local key = chat.waiting > 0 and keys().next_question
  return key and (is_insert and '<Esc>' .. key or key)
end

--- The keys shown in an empty prompt, as far as there is room for them: those that answer and send stay longest.
---@param chat acp.Chat
---@param is_insert boolean
---@param room integer cells
---@return string
function M.hint(chat, is_insert, room)
  local hints = {
    { answer_keys(chat, is_insert), 'answer' },
    { keys()[is_insert and 'send_insert' or 'send'], send_word(chat) },
    { is_running(chat) and stop_keys(is_insert), 'stop' },
    { require('acp.config').get().completion == 'auto' and '@ /', 'menu' },
    { not is_insert and keys().help, 'keys' },
  }
  local hint = M.join_hints(hints)
  for _, dropped in ipairs({ 4, 5, 3 }) do
    if not require('acp.ui.text_width').fits(hint, room) then
      hints[dropped][1] = false
      hint = M.join_hints(hints)
    end
  end
  return require('acp.ui.text_width').cut_right(hint, math.max(1, room))
end

return M
