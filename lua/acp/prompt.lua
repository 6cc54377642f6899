--- The buffer the user writes prompts in: an ordinary one, that is sent when it is written.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.prompt')
-- A key that was pressed so soon after a prompt came back was meant for something else.
local surprise_ms = 500
local retry_ms = 10

---@class acp.ReturnedPrompt
---@field text string
---@field at integer when it came back, in milliseconds
---@field is_told? boolean the user knows that it would be sent with other text

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

--- What the agent wants to be told behind its command, as long as nothing stands there.
---@param chat acp.Chat
---@param text string
---@return string?
local function argument_of(chat, text)
  for _, command in ipairs(chat.commands or {}) do
    if text == '/' .. command.name or text == '/' .. command.name .. ' ' then
      return command.hint
    end
  end
end

---@param chat acp.Chat
---@param is_insert? boolean
local function show_hint(chat, is_insert)
  local buf = chat.prompt
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local text = M.text_of(buf)
  local argument = argument_of(chat, text)
  if argument then
    local hint = argument:gsub('%c', ' ')
    local virt_text = { { hint, 'AcpHint' } }
    api.nvim_buf_set_extmark(buf, ns, 0, 0, { virt_text = virt_text, virt_text_pos = 'eol' })
  elseif chat.returned and vim.startswith(text, chat.returned.text) then
    local options = { virt_text = { { 'came back, not sent', 'AcpHint' } }, virt_text_pos = 'eol' }
    api.nvim_buf_set_extmark(buf, ns, 0, 0, options)
  elseif text == '' then
    if is_insert == nil then
      is_insert = is_inserting(buf)
    end
    local hint = require('acp.keys').hint(is_insert)
    local options = { virt_text = { { hint, 'AcpHint' } }, virt_text_pos = 'right_align' }
    api.nvim_buf_set_extmark(buf, ns, 0, 0, options)
  end
end

--- After every change of the text, whoever made it.
---@param chat acp.Chat
local function refresh(chat)
  -- A draft is not a file that Neovim should refuse to leave: it is kept elsewhere.
  vim.bo[chat.prompt].modified = false
  show_hint(chat)
  require('acp.window').fit(chat)
end

--- Changes the text below the user's fingers: not in the middle of a completion or an operator.
---@param chat acp.Chat
---@param run fun(buf: integer)
local function change(chat, run)
  local buf = chat.prompt
  if not buf then
    return
  end
  if not require('acp.midst').is_ready(buf) then
    return vim.defer_fn(function()
      change(chat, run)
    end, retry_ms)
  end
  require('acp.midst').keep(buf, function()
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
      require('acp.drafts').touch(chat)
    end,
  })
end

local function time_of(seconds)
  local is_today = os.date('%F', seconds) == os.date('%F')
  return os.date(is_today and '%H:%M' or '%F %H:%M', seconds)
end

-- What was written before the buffer was unloaded, or before Neovim was left.
---@param chat acp.Chat
local function fill(chat)
  local draft = require('acp.drafts').find(chat)
  if not draft then
    return
  end
  api.nvim_buf_set_lines(chat.prompt, 0, -1, false, lines_of(draft.text))
  vim.bo[chat.prompt].modified = false
  if draft.is_from_before then
    local message = ('the draft of %s is back in the prompt'):format(time_of(draft.at))
    vim.schedule(function()
      require('acp.notice').say(message)
    end)
  end
end

-- `:edit` unloads a buffer too, and loads it again at once.
---@param chat acp.Chat
---@param buf integer
local function after_unload(chat, buf)
  if not api.nvim_buf_is_valid(buf) or chat.prompt then
    return
  end
  if api.nvim_buf_is_loaded(buf) then
    chat.prompt = buf
    fill(chat)
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
  on('InsertEnter', function()
    show_hint(chat, true)
  end)
  on('InsertLeave', function()
    show_hint(chat, false)
    require('acp.drafts').flush(chat)
  end)
  on('BufWriteCmd', function()
    vim.bo[buf].modified = false
    M.send(chat)
  end)
  api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = vim.schedule_wrap(function()
      require('acp.window').settle(chat)
    end),
  })
  on('BufUnload', function()
    require('acp.drafts').flush(chat)
    chat.prompt = nil
    vim.schedule(function()
      after_unload(chat, buf)
      require('acp.window').undress_others()
    end)
  end)
end

---@param chat acp.Chat
function M.create_buffer(chat)
  local buf = api.nvim_create_buf(false, false)
  require('acp.names').set(buf, ('acp://%s/%d/prompt'):format(chat.agent, chat.id))
  chat.prompt = buf
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].omnifunc = "v:lua.require'acp.prompt'.complete"
  require('acp.keys').map_prompt(chat)
  fill(chat)
  attach(chat)
  watch(chat)
  show_hint(chat)
  require('acp.window').set_filetype(buf, 'acp-prompt')
end

-- A prompt that came back is sent again only if that is meant: not by a key that was on its way already, and not
-- together with what the user wrote below it.
---@param chat acp.Chat
---@param text string
---@return string|nil why it is not sent
local function hold_back(chat, text)
  local returned = chat.returned
  if not returned then
    return nil
  end
  if vim.uv.now() - returned.at < surprise_ms then
    return 'a prompt has just come back; send again to send it'
  end
  local is_above = vim.startswith(text, returned.text .. '\n')
  local is_told = returned.is_told
  returned.is_told = true
  if is_above and not is_told and vim.trim(text:sub(#returned.text + 1)) ~= '' then
    return 'a prompt came back above your text; send again to send both'
  end
end

--- Sends what is written. It stays until the host has taken it.
---@param chat acp.Chat
function M.send(chat)
  local text = M.text_of(chat.prompt):gsub('\n+$', '')
  if vim.trim(text) == '' then
    return
  end
  local reason = hold_back(chat, text)
  if reason then
    return require('acp.notice').say(reason, vim.log.levels.WARN)
  end
  chat.returned = nil
  require('acp.chats').send(chat, text)
end

--- The host has the prompt: it goes from the buffer, but not what was written since.
---@param chat acp.Chat
---@param text string
function M.accepted(chat, text)
  change(chat, function(buf)
    local now = M.text_of(buf)
    if not vim.startswith(now, text) then
      return
    end
    local lines = lines_of(text)
    local breaks = #now:sub(#text + 1):match('^\n*')
    local row, column = #lines - 1 + breaks, breaks > 0 and 0 or #lines[#lines]
    api.nvim_buf_set_text(buf, 0, 0, row, column, {})
  end)
  require('acp.drafts').flush(chat)
end

-- Puts a text above what is written, and the cursor stays where it is in that.
---@param buf integer
---@param text string
---@param is_alone boolean nothing is or will be written below it
local function put_above(buf, text, is_alone)
  local lines = lines_of(text)
  if not is_alone then
    table.insert(lines, '')
  end
  api.nvim_buf_set_lines(buf, 0, is_alone and -1 or 0, false, lines)
end

--- A prompt came back unsent: it is not mixed with what is being written.
---@param chat acp.Chat
---@param text string
function M.restore(chat, text)
  if not chat.prompt then
    M.create_buffer(chat)
  end
  change(chat, function(buf)
    local now = M.text_of(buf)
    if now ~= text then
      put_above(buf, text, now == '' and not is_inserting(buf))
      chat.returned = { text = text, at = vim.uv.now() }
    end
  end)
end

--- The beginning of a prompt that the user asked for.
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

--- Something to be sent along: it stands behind what is written.
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

-- Where the command before the cursor begins. Commands may be of several words, which only the agent's list can tell.
---@param chat acp.Chat|nil
---@param before string
---@return integer|nil
local function start_of_command(chat, before)
  local start, lead = before:match('^%s*()(/.*)$')
  for _, command in ipairs(start and chat and chat.commands or {}) do
    if vim.startswith('/' .. command.name, lead) then
      return start
    end
  end
  return before:find('/%S*$')
end

--- 'omnifunc' of the prompt: the slash commands of the agent.
function M.complete(find_start, base)
  local chat = require('acp.chats').current()
  if find_start == 1 then
    local before = api.nvim_get_current_line():sub(1, api.nvim_win_get_cursor(0)[2])
    local start = start_of_command(chat, before)
    return start and start - 1 or -3
  end
  -- Where there is no popup for it, Neovim opens a window.
  local has_popup = vim.o.completeopt:find('popup') ~= nil
  local items = vim.tbl_map(function(command)
    local info = has_popup and command.description or nil
    return { word = '/' .. command.name, menu = command.description, info = info }
  end, chat and chat.commands or {})
  return vim.tbl_filter(function(item)
    return vim.startswith(item.word, base)
  end, items)
end

return M
