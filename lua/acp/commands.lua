--- What the commands do. plugin/acp.lua has their names and makes `:AcpName` and `:Acp name` of them.
local M = {}

local chats = require('acp.chats')

local function warn(message)
  require('acp.notice').say(message, vim.log.levels.WARN)
end

-- Neovim lets nobody leave that window or open another from there.
local function is_in_command_line_window()
  if vim.fn.getcmdwintype() == '' then
    return false
  end
  -- In Visual mode Neovim would show the mode over it.
  vim.cmd.normal({ vim.keycode('<Esc>'), bang = true })
  warn('not possible in the command-line window; leave it with <C-c>')
  return true
end

local function needs_chat(run)
  return function(args)
    local chat = chats.current()
    if chat then
      run(chat, args)
    else
      warn('there is no chat yet; :AcpChat opens one')
    end
  end
end

--- The lines of a range, so that the agent knows where they are from.
local function selection(first, last)
  local lines = vim.api.nvim_buf_get_lines(0, first - 1, last, false)
  local path = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':.')
  local place = ('%s:%d-%d'):format(path == '' and '[No Name]' or path, first, last)
  local text = table.concat(lines, '\n')
  local fence = '```'
  while text:find(fence, 1, true) do
    fence = fence .. '`'
  end
  return ('%s\n%s%s\n%s\n%s'):format(place, fence, vim.bo.filetype, text, fence)
end

--- Sends without leaving the window the user is in.
local function send(text)
  local chat = chats.ensure(nil, function()
    send(text)
  end)
  if not chat then
    return
  end
  chats.prepare(chat)
  require('acp.window').open(chat)
  chats.send(chat, text)
end

--- Opens the windows of a chat and goes to its prompt.
---@param chat acp.Chat
function M.show(chat)
  chats.prepare(chat)
  local win = require('acp.window').open(chat)
  vim.api.nvim_set_current_win(win)
  local is_empty = vim.api.nvim_buf_line_count(chat.prompt) == 1
    and vim.api.nvim_get_current_line() == ''
  if is_empty and require('acp.config').get().insert then
    vim.cmd.startinsert()
  end
end

local handlers = {}

function handlers.chat(args)
  local name = args.args ~= '' and args.args or nil
  local chat = chats.ensure(name, function()
    handlers.chat(args)
  end)
  if not chat then
    return
  end
  if args.bang and require('acp.window').is_open(chat) then
    return require('acp.window').close(chat)
  end
  M.show(chat)
end

function handlers.new(args)
  local current = chats.current()
  local name = args.args ~= '' and args.args or current and current.agent
  local chat = chats.create(name or require('acp.agents').default(), nil, function()
    handlers.new(args)
  end)
  if chat then
    M.show(chat)
  end
end

local session_actions = { 'open', 'close', 'delete' }

function handlers.sessions(args)
  local action = args.args == '' and 'open' or args.args
  if not vim.list_contains(session_actions, action) then
    local message = 'there is no "%s" for sessions; one of %s'
    return warn(message:format(action, table.concat(session_actions, ', ')))
  end
  local current = chats.current()
  local agent = current and current.agent or require('acp.agents').default()
  chats.browse(agent, action, args.bang)
end

function handlers.agents()
  require('acp.registry').show()
end

function handlers.send(args)
  local parts = {}
  if args.args ~= '' then
    table.insert(parts, args.args)
  end
  if args.range > 0 then
    table.insert(parts, selection(args.line1, args.line2))
  end
  if #parts == 0 then
    return warn('nothing to send: give a text or a range (:AcpSend explain it)')
  end
  send(table.concat(parts, '\n\n'))
end

handlers.cancel = needs_chat(function(chat)
  chats.cancel(chat)
end)

function handlers.answer()
  local chat = chats.asking()
  if not chat then
    return warn('no question waits for an answer')
  end
  -- Dialogs open in Normal mode, and the user has asked for this one.
  if vim.api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    vim.cmd.stopinsert()
  end
  require('acp.question').show(chat)
end

function handlers.follow()
  require('acp.follow').toggle()
end

handlers.plan = needs_chat(function(chat)
  require('acp.plan').toggle(chat)
end)

local terminal_actions = { 'open', 'kill' }

function handlers.terminals(args)
  local action = args.args == '' and 'open' or args.args
  if not vim.list_contains(terminal_actions, action) then
    local message = 'there is no "%s" for terminals; one of %s'
    return warn(message:format(action, table.concat(terminal_actions, ', ')))
  end
  require('acp.host').notify('terminals.list', { action = action })
end

function handlers.run(args)
  local chat = chats.ensure()
  if chat then
    chats.prepare(chat)
    chats.run(chat, args.args)
  end
end

local review_words = { 'session', 'turn', 'quickfix', 'tell' }

handlers.review = needs_chat(function(chat, args)
  local what = args.args == '' and 'session' or args.args
  if not vim.list_contains(review_words, what) then
    local message = 'there is no review of "%s"; one of %s'
    return warn(message:format(what, table.concat(review_words, ', ')))
  end
  if what == 'session' or what == 'turn' then
    return require('acp.host').notify('review.open', { chat = chat.id, scope = what })
  end
  if what == 'tell' then
    M.show(chat)
  end
  require('acp.host').notify('review.' .. what, { chat = chat.id })
end)

handlers.restore = needs_chat(function(chat, args)
  local op = args.args == 'undo' and 'restore.undo' or 'restore.show'
  require('acp.host').notify(op, { chat = chat.id })
end)

handlers.login = needs_chat(function(chat)
  require('acp.host').notify('login.show', { chat = chat.id })
end)

handlers.logout = needs_chat(function(chat)
  require('acp.host').notify('login.forget', { chat = chat.id })
end)

local function show_setting(category)
  return needs_chat(function(chat)
    require('acp.host').notify('setting.show', { chat = chat.id, category = category })
  end)
end

handlers.mode = show_setting('mode')
handlers.model = show_setting('model')
handlers.option = show_setting()

handlers.restart = needs_chat(function(chat, args)
  if args.bang then
    chats.restart_host()
  else
    chats.restart(chat)
  end
end)

handlers.close = needs_chat(function(chat)
  chats.close(chat)
end)

handlers.traffic = needs_chat(function(chat)
  require('acp.traffic').open(chat)
end)

handlers.record = needs_chat(function(chat, args)
  require('acp.recording').run(chat, args)
end)

function handlers.log()
  vim.cmd.split(vim.fn.fnameescape(require('acp.host').log_path()))
  vim.cmd.normal({ 'G', bang = true })
end

---@param name string
---@return boolean
function M.has(name)
  return handlers[name] ~= nil
end

---@param name string
---@param args vim.api.keyset.create_user_command.command_args
function M.run(name, args)
  if not is_in_command_line_window() then
    handlers[name](args)
  end
end

local function agent_names()
  return vim.tbl_map(function(agent)
    return agent.name
  end, require('acp.agents').list())
end

---@param name string
---@param lead string
---@return string[]
function M.complete(name, lead)
  if name == 'record' or name == 'run' then
    return vim.fn.getcompletion(lead, 'file')
  end
  local completions = {
    chat = agent_names,
    new = agent_names,
    sessions = session_actions,
    terminals = terminal_actions,
    review = review_words,
    restore = { 'undo' },
  }
  local words = completions[name] or {}
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, type(words) == 'function' and words() or words)
end

--- Asks for a prompt and sends it.
function M.ask()
  if is_in_command_line_window() then
    return
  end
  vim.ui.input({ prompt = 'Ask the agent: ' }, function(text)
    if text and vim.trim(text) ~= '' then
      send(text)
    end
  end)
end

--- The same, about the selected lines; without a text they are sent alone.
function M.ask_about_selection()
  if is_in_command_line_window() then
    return
  end
  local first, last = vim.fn.line('v'), vim.fn.line('.')
  local lines = selection(math.min(first, last), math.max(first, last))
  vim.api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  vim.ui.input({ prompt = 'Ask about the selection: ' }, function(text)
    if text then
      send(vim.trim(text) == '' and lines or text .. '\n\n' .. lines)
    end
  end)
end

return M
