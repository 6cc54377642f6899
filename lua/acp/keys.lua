--- The keys of the two buffers. Nothing is mapped anywhere else.
local M = {}

local function keys()
  return require('acp.config').get().keys
end

---@class acp.Key
---@field option string name below `keys`
---@field mode string|string[]
---@field desc string
---@field run fun(chat: acp.Chat)

local function send(chat)
  require('acp.prompt').send(chat)
end

local function cancel(chat)
  if vim.api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    vim.cmd.stopinsert()
  end
  require('acp.chats').cancel(chat)
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
  local block = require('acp.render').block_at(chat.buf, row)
  if block then
    require('acp.host').notify('entry.toggle', { chat = chat.id, block = block })
  end
end

-- The line under the cursor as the host knows it.
local function line_under_cursor(chat)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local block, line = require('acp.render').block_at(chat.buf, row)
  return block and { chat = chat.id, block = block, line = line }
end

local function open(chat)
  local place = line_under_cursor(chat)
  if place then
    require('acp.host').notify('entry.open', place)
  elseif chat.waiting > 0 then
    require('acp.question').show(chat)
  end
end

local function compare(chat)
  local place = line_under_cursor(chat)
  if place then
    require('acp.host').notify('entry.compare', place)
  end
end

---@param direction 1|-1
local function jump(direction)
  return function(chat)
    local row = vim.api.nvim_win_get_cursor(0)[1] - 1
    local found = require('acp.render').prompt_from(chat.buf, row, direction * vim.v.count1)
    if found then
      vim.cmd.normal({ "m'", bang = true })
      vim.api.nvim_win_set_cursor(0, { found + 1, 0 })
    end
  end
end

---@type acp.Key[]
M.prompt = {
  { option = 'send', mode = 'n', desc = 'send', run = send },
  { option = 'send_insert', mode = 'i', desc = 'send', run = send },
  { option = 'cancel', mode = { 'n', 'i' }, desc = 'stop', run = cancel },
  { option = 'help', mode = 'n', desc = 'keys', run = help },
}

---@type acp.Key[]
M.transcript = {
  { option = 'toggle', mode = 'n', desc = 'open or close', run = toggle },
  { option = 'open', mode = 'n', desc = 'to the file or terminal, answer, open', run = open },
  { option = 'diff', mode = 'n', desc = 'compare the change side by side', run = compare },
  { option = 'cancel', mode = 'n', desc = 'stop', run = cancel },
  { option = 'next', mode = { 'n', 'x', 'o' }, desc = 'next prompt', run = jump(1) },
  { option = 'previous', mode = { 'n', 'x', 'o' }, desc = 'previous prompt', run = jump(-1) },
  { option = 'help', mode = 'n', desc = 'keys', run = help },
}

local function map(chat, buf, list)
  for _, key in ipairs(list) do
    local lhs = keys()[key.option]
    if lhs then
      vim.keymap.set(key.mode, lhs, function()
        key.run(chat)
      end, { buffer = buf, desc = 'acp: ' .. key.desc, nowait = true })
    end
  end
end

---@param chat acp.Chat
function M.map_prompt(chat)
  map(chat, chat.prompt, M.prompt)
end

---@param chat acp.Chat
function M.map_transcript(chat)
  map(chat, chat.buf, M.transcript)
end

--- The keys a newcomer needs in an empty prompt.
---@param is_insert boolean
---@return string
function M.hint(is_insert)
  local hints = {
    { keys()[is_insert and 'send_insert' or 'send'], 'send' },
    { keys().cancel, 'stop' },
    { not is_insert and keys().help, 'keys' },
  }
  local parts = {}
  for _, hint in ipairs(hints) do
    if hint[1] then
      table.insert(parts, hint[1] .. ' ' .. hint[2])
    end
  end
  return table.concat(parts, ' · ')
end

return M
