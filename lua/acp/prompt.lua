--- The buffer the user writes prompts in: an ordinary one, that is sent when it is written.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.prompt')

local function text_of(buf)
  return table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

local function set_text(buf, text)
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, '\n', { plain = true }))
end

---@param chat acp.Chat
---@return { name: string, description: string, hint?: string }[]
local function commands_of(chat)
  return require('acp.host').request('chat.commands', { chat = chat.id }) or {}
end

--- What the agent wants to be told behind its command, as long as nothing stands there.
---@param chat acp.Chat
---@param text string
---@return string?
local function argument_of(chat, text)
  local name = text:match('^/(%S+) ?$')
  for _, command in ipairs(name and commands_of(chat) or {}) do
    if command.name == name then
      return type(command.hint) == 'string' and command.hint or nil
    end
  end
end

---@param chat acp.Chat
---@param is_insert? boolean
local function show_hint(chat, is_insert)
  local buf = chat.prompt
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local text = text_of(buf)
  local argument = argument_of(chat, text)
  if argument then
    local hint = argument:gsub('%c', ' ')
    local virt_text = { { hint, 'AcpHint' } }
    api.nvim_buf_set_extmark(buf, ns, 0, 0, { virt_text = virt_text, virt_text_pos = 'eol' })
  elseif text == '' then
    if is_insert == nil then
      is_insert = api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode:sub(1, 1) == 'i'
    end
    local hint = require('acp.keys').hint(is_insert)
    local options = { virt_text = { { hint, 'AcpHint' } }, virt_text_pos = 'right_align' }
    api.nvim_buf_set_extmark(buf, ns, 0, 0, options)
  end
end

--- After every change of the text, whoever made it.
---@param chat acp.Chat
local function refresh(chat)
  -- A draft is not a file that Neovim should refuse to leave.
  vim.bo[chat.prompt].modified = false
  show_hint(chat)
  require('acp.window').fit(chat)
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
  on('InsertEnter', function()
    show_hint(chat, true)
  end)
  on('InsertLeave', function()
    show_hint(chat, false)
  end)
  on('BufWriteCmd', function()
    vim.bo[buf].modified = false
    M.send(chat)
  end)
  on('BufWipeout', function()
    chat.prompt = nil
  end)
end

---@param chat acp.Chat
function M.create_buffer(chat)
  local buf = api.nvim_create_buf(false, false)
  require('acp.window').name(buf, ('acp://%s/%d/prompt'):format(chat.agent, chat.id))
  chat.prompt = buf
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].omnifunc = "v:lua.require'acp.prompt'.complete"
  require('acp.keys').map_prompt(chat)
  watch(chat)
  show_hint(chat)
  require('acp.window').set_filetype(buf, 'acp-prompt')
end

--- Sends what is written. It stays until the host has taken it.
---@param chat acp.Chat
function M.send(chat)
  local text = text_of(chat.prompt)
  if vim.trim(text) ~= '' then
    require('acp.chats').send(chat, text)
  end
end

--- The host has the prompt: it goes from the buffer, but not what was written since.
---@param chat acp.Chat
---@param text string
function M.accepted(chat, text)
  local buf = chat.prompt
  if not buf then
    return
  end
  local now = text_of(buf)
  if vim.startswith(now, text) then
    set_text(buf, vim.trim(now:sub(#text + 1)))
    refresh(chat)
  end
end

--- A prompt came back unsent: it stands before what was written since.
---@param chat acp.Chat
---@param text string
function M.restore(chat, text)
  if not chat.prompt then
    M.create_buffer(chat)
  end
  local now = text_of(chat.prompt)
  if now == text then
    return
  end
  set_text(chat.prompt, vim.trim(now) == '' and text or text .. '\n\n' .. now)
  refresh(chat)
end

--- Something to be sent along: it stands behind what is written.
---@param chat acp.Chat
---@param text string
function M.add(chat, text)
  if not chat.prompt then
    M.create_buffer(chat)
  end
  local now = text_of(chat.prompt)
  set_text(chat.prompt, vim.trim(now) == '' and '\n\n' .. text or now .. '\n\n' .. text)
  refresh(chat)
end

--- 'omnifunc' of the prompt: the slash commands of the agent.
function M.complete(find_start, base)
  if find_start == 1 then
    local before = api.nvim_get_current_line():sub(1, api.nvim_win_get_cursor(0)[2])
    local start = before:find('/%S*$')
    return start and start - 1 or -3
  end
  local chat = require('acp.chats').current()
  local commands = chat and commands_of(chat) or {}
  local items = vim.tbl_map(function(command)
    return { word = '/' .. command.name, menu = command.description, info = command.hint or '' }
  end, commands)
  return vim.tbl_filter(function(item)
    return vim.startswith(item.word, base)
  end, items)
end

return M
