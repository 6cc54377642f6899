--- What the commands do. plugin/acp.lua has their names and makes `:AcpName` and `:Acp name` of them.
local M = {}

local chats = require('acp.chats')
local lifecycle = require('acp.lifecycle')

require('acp.recovery').watch_host()

local function warn(message)
  require('acp.messages').warn(message)
end

local function notify_host(op, payload)
  require('acp.host').notify(op, payload)
end

-- Neovim allows neither leaving that window nor opening another from there.
---@return boolean
function M.is_in_command_line_window()
  if vim.fn.getcmdwintype() == '' then
    return false
  end
  -- In Visual mode Neovim would show the mode over the message.
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

--- The word after a command, if it is one of those that the command accepts.
---@param args { args: string }
---@param words string[] the first one is the default
---@param message string what to say otherwise, with two `%s`
---@return string|nil
local function word_of(args, words, message)
  local word = args.args == '' and words[1] or args.args
  if vim.list_contains(words, word) then
    return word
  end
  warn(message:format(word, table.concat(words, ', ')))
end

local handlers = {}

function handlers.chat(args)
  local name = args.args ~= '' and args.args or nil
  local existing = name and chats.with_agent(name) or (not name and chats.current())
  local worktree = require('acp.commands.worktree')
  if not existing and worktree.is_wanted(name) then
    return worktree.create(name)
  end
  local chat = lifecycle.ensure(name, function()
    handlers.chat(args)
  end)
  if not chat then
    return
  end
  if args.bang and require('acp.chat.window').is_open(chat) then
    return require('acp.chat.window').close(chat)
  end
  lifecycle.show(chat)
end

local function agent_of_current_chat()
  local current = chats.current()
  return current and current.agent or lifecycle.default_agent()
end

function handlers.new(args)
  local name = args.args ~= '' and args.args or agent_of_current_chat()
  local worktree = require('acp.commands.worktree')
  if args.bang or worktree.is_wanted(name) then
    return worktree.create(name)
  end
  local chat = lifecycle.create(name, nil, function()
    handlers.new(args)
  end)
  if chat then
    lifecycle.show(chat)
  end
end

function handlers.private(args)
  local name = args.args ~= '' and args.args or agent_of_current_chat()
  local chat = lifecycle.create(name, { is_private = true }, function()
    handlers.private(args)
  end)
  if chat then
    lifecycle.show(chat)
  end
end

local forget_words = { 'session', 'folder' }

function handlers.forget(args)
  local what = word_of(args, forget_words, 'unknown word "%s" for what to forget; use one of: %s')
  if what then
    require('acp.commands.forget').run(what)
  end
end

function handlers.sessions(args)
  require('acp.commands.sessions').run(agent_of_current_chat(), args.args, args.bang)
end

handlers.rename = needs_chat(function(chat, args)
  lifecycle.prepare(chat)
  require('acp.commands.sessions').rename(chat, args.args)
end)

handlers.fork = needs_chat(function(chat)
  notify_host('session.fork', { chat = chat.id })
end)

function handlers.agents()
  require('acp.commands.agents').run()
end

function handlers.send(args)
  require('acp.commands.send').run(args)
end

handlers.retry = needs_chat(function(chat)
  lifecycle.prepare(chat)
  require('acp.chat.actions').retry(chat)
end)

handlers.history = needs_chat(function(chat, args)
  require('acp.chat.actions').show_history(chat, args.args, args.bang)
end)

function handlers.add(args)
  require('acp.commands.add').run(args)
end

function handlers.prompt(args)
  require('acp.commands.templates').run(args)
end

for _, name in ipairs({ 'fix', 'explain', 'test', 'commit' }) do
  handlers[name] = function(args)
    require('acp.commands.templates').send(name, args.args, args)
  end
end

function handlers.ask(args)
  require('acp.commands.ask').run(args)
end

handlers.cancel = needs_chat(function(chat)
  require('acp.chat.actions').cancel(chat)
end)

local queue_words = { 'edit', 'now', 'resume', 'pause' }

handlers.queue = needs_chat(function(chat, args)
  local word = word_of(args, queue_words, 'unknown action "%s" for the queue; use one of: %s')
  local queue = require('acp.chat.prompt.queue')
  local actions =
    { edit = queue.open, now = queue.send_first, resume = queue.resume, pause = queue.pause }
  if word then
    actions[word](chat)
  end
end)

handlers.steer = needs_chat(function(chat, args)
  lifecycle.prepare(chat)
  if args.args ~= '' then
    require('acp.chat.actions').send(chat, args.args, { steer = true })
  else
    require('acp.chat.prompt.sending').send(chat, true)
  end
end)

handlers.paste = needs_chat(function(chat)
  require('acp.chat.actions').paste(chat)
end)

-- What opens may be a dialog, which waits for Normal mode.
local function leave_insert_mode()
  if vim.api.nvim_get_mode().mode:sub(1, 1) == 'i' then
    vim.cmd.stopinsert()
  end
end

function handlers.answer()
  local chat = chats.with_question()
  if not chat then
    return warn('no question is waiting for an answer')
  end
  require('acp.dialogs.question').show(chat)
end

handlers.inbox = needs_chat(function()
  leave_insert_mode()
  require('acp.dialogs.dialog').abandon('the inbox was opened')
  notify_host('inbox.show', {})
end)

function handlers.follow()
  require('acp.chat.follow').toggle()
end

handlers.plan = needs_chat(function(chat)
  require('acp.chat.plan').toggle(chat)
end)

function handlers.search(args)
  require('acp.dialogs.picker').loading('searching …')
  notify_host('search.show', { folder = require('acp.paths').state(), words = args.args })
end

handlers.export = needs_chat(function(chat, args)
  lifecycle.prepare(chat)
  require('acp.commands.export').run(chat, args)
end)

local terminal_actions = { 'open', 'kill' }

function handlers.terminals(args)
  local action =
    word_of(args, terminal_actions, 'unknown action "%s" for terminals; use one of: %s')
  if action then
    notify_host('terminals.list', { action = action })
  end
end

function handlers.run(args)
  local chat = lifecycle.ensure()
  if chat then
    lifecycle.prepare(chat)
    require('acp.chat.actions').run(chat, args.args)
  end
end

local review_words = { 'session', 'turn', 'quickfix', 'tell' }

handlers.review = needs_chat(function(chat, args)
  local what = args.args == '' and 'session' or args.args
  if what == 'tell' then
    lifecycle.show(chat)
    notify_host('review.prompt', { chat = chat.id })
  elseif what == 'quickfix' then
    notify_host('review.quickfix', { chat = chat.id })
  elseif vim.list_contains(review_words, what) then
    notify_host('review.open', { chat = chat.id, scope = what })
  elseif what == '%' and require('acp.ui.buffer_names').is_ours(vim.api.nvim_get_current_buf()) then
    require('acp.messages').warn('the chat is not a file')
  else
    local path = require('acp.chat.changed_files').path_of(chat, what)
    notify_host('review.open', { chat = chat.id, scope = 'session', path = path })
  end
end)

handlers.restore = needs_chat(function(chat, args)
  if args.args ~= '' and args.args ~= 'undo' then
    return warn(('unknown word "%s"; :AcpRestore takes undo, or nothing'):format(args.args))
  end
  notify_host(args.args == 'undo' and 'restore.undo' or 'restore.show', { chat = chat.id })
end)

handlers.permissions = needs_chat(function(chat, args)
  require('acp.commands.permissions').run(chat, args.args)
end)

handlers.why = needs_chat(function(chat)
  notify_host('permissions.explain', { chat = chat.id })
end)

handlers.login = needs_chat(function(chat)
  notify_host('login.show', { chat = chat.id })
end)

handlers.logout = needs_chat(function(chat)
  notify_host('login.end', { chat = chat.id })
end)

handlers.mode = needs_chat(function(chat, args)
  require('acp.commands.settings').set(chat, 'mode', args.args)
end)

handlers.model = needs_chat(function(chat, args)
  require('acp.commands.settings').set(chat, 'model', args.args)
end)

handlers.option = needs_chat(function(chat, args)
  require('acp.commands.settings').set_option(chat, args.args)
end)

handlers.restart = needs_chat(function(chat, args)
  if args.bang then
    require('acp.recovery').restart_host()
  else
    require('acp.chat.actions').restart(chat)
  end
end)

handlers.close = needs_chat(function(chat)
  lifecycle.close(chat)
end)

handlers.traffic = needs_chat(function(chat)
  require('acp.debug.traffic').open(chat)
end)

handlers.record = needs_chat(function(chat, args)
  require('acp.debug.recording').run(chat, args)
end)

handlers.worktree = needs_chat(function(chat)
  require('acp.commands.worktree').show(chat)
end)

function handlers.report()
  require('acp.commands.report').run()
end

function handlers.log()
  require('acp.ui.open_file').open_window()
  vim.cmd.edit(vim.fn.fnameescape(require('acp.paths').log()))
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
  if M.is_in_command_line_window() then
    return
  end
  local ok, problem = xpcall(function()
    handlers[name](args)
  end, debug.traceback)
  if ok then
    return
  elseif not tostring(problem):find('E36:', 1, true) then
    error(problem, 0)
  end
  local advice = 'no room for a window: close another one or enlarge the screen, then try again'
  require('acp.messages').warn(advice)
end

local function agent_names()
  return vim.tbl_map(function(agent)
    return agent.name
  end, require('acp.agents').list())
end

-- What follows the command and is completed; only the last word of it is known if the command is abbreviated.
---@param name string
---@param lead string
---@param line string
---@return string
local function typed_argument(name, lead, line)
  local typed = line:lower():match('.*acp!?%s*' .. name .. '!?%s+(.*)$') or lead:lower()
  return name == 'option' and typed:match('^%S+%s+(.*)$') or typed
end

-- Neovim replaces only the last word of the line, and a name may have several.
---@param candidates string[]
---@param typed string
---@param lead string the last word of it
---@return string[]
local function last_words(candidates, typed, lead)
  local words = {}
  for _, candidate in ipairs(candidates) do
    if vim.startswith(candidate:lower(), typed) then
      table.insert(words, candidate:sub(#typed - #lead + 1))
    end
  end
  return words
end

---@param name string
---@param lead string
---@param line string the command line up to the cursor
---@return string[]
function M.complete(name, lead, line)
  local takes_mentions = name == 'add' or name == 'send' or name == 'steer'
  if takes_mentions and vim.startswith(lead, '@') then
    return require('acp.commands.add').complete_mention(lead)
  end
  if name == 'record' or name == 'run' or name == 'add' or name == 'export' then
    return vim.fn.getcompletion(lead, 'file')
  end
  local completions = {
    chat = agent_names,
    new = agent_names,
    private = agent_names,
    forget = forget_words,
    sessions = require('acp.commands.sessions').words,
    terminals = terminal_actions,
    review = function()
      local names = require('acp.chat.changed_files').names(chats.current())
      return vim.list_extend(vim.list_slice(review_words), names)
    end,
    restore = { 'undo' },
    queue = queue_words,
    prompt = require('acp.commands.templates').names,
    permissions = require('acp.commands.permissions').words,
  }
  for _, setting in ipairs({ 'mode', 'model', 'option' }) do
    completions[setting] = function()
      return require('acp.commands.settings').words(setting, line)
    end
  end
  local words = completions[name] or {}
  local candidates = type(words) == 'function' and words() or words
  return last_words(candidates, typed_argument(name, lead, line), lead)
end

--- Lists what can be done here and now.
---@param args { range: integer, line1: integer, line2: integer }
function M.palette(args)
  if not M.is_in_command_line_window() then
    require('acp.commands.palette').open(args)
  end
end

--- Sends a prompt of the user's Lua.
---@param text string
---@param options acp.SendOptions
---@return integer|nil chat
function M.send(text, options)
  if not M.is_in_command_line_window() then
    return require('acp.commands.api').send(text, options)
  end
end

--- Goes to what waits for the user.
function M.go_to_next()
  if M.is_in_command_line_window() then
    return
  end
  needs_chat(function()
    require('acp.ui.place').leave()
    require('acp.dialogs.dialog').abandon('you went on')
    notify_host('inbox.next', {})
  end)()
end

--- Changes the mode or the model to the next one.
---@param category 'mode'|'model'
function M.cycle(category)
  if not M.is_in_command_line_window() then
    needs_chat(function(chat)
      require('acp.chat.actions').cycle(chat, category)
    end)()
  end
end

--- Asks about the line of the cursor.
function M.ask()
  if not M.is_in_command_line_window() then
    require('acp.commands.ask').at_cursor()
  end
end

--- Asks about the selected lines.
function M.ask_about_selection()
  if not M.is_in_command_line_window() then
    require('acp.commands.ask').about_selection()
  end
end

return M
