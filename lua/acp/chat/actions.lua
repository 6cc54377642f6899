--- What the host is asked to do with a chat.
local M = {}

local function host()
  return require('acp.host')
end

---@param chat acp.Chat
---@return boolean|nil sent
local function open_in_host(chat)
  local agents = require('acp.agents')
  chat.last_agent = chat.launch or agents.find(chat.agent) or chat.last_agent
  chat.is_open_in_host = host().notify('chat.open', {
    chat = chat.id,
    agent = agents.for_host(chat.last_agent, chat.project),
    cwd = chat.cwd,
    journal = chat.journal,
    private = chat.is_private,
    worktree = vim.startswith(chat.cwd, require('acp.paths').worktrees() .. '/'),
    -- Nothing but the agent remembers a private session.
    session = chat.is_private and chat.context and chat.context.session or chat.session,
    isFork = chat.is_fork,
    earlierJournal = chat.earlier_journal,
    title = chat.title,
    -- An empty list if the host does not know the chat yet.
    settings = chat.settings or {},
    queue = chat.queue_to_restore,
    queueJournal = chat.queue_journal,
    recovered = chat.recovered,
    lastQueue = require('acp.chat.prompt.state').unsent(chat),
  })
  return chat.is_open_in_host
end

--- Opens a chat in the host and has everything drawn that shows it.
---@param chat acp.Chat
function M.open(chat)
  if not open_in_host(chat) then
    if not host().is_running() then
      require('acp.chat.transcript').show_host_down(chat, host().problem())
    end
    return
  end
  chat.width = require('acp.chat.transcript').width(chat)
  host().notify('chat.redraw', { chat = chat.id, width = chat.width })
  if chat.plan then
    host().notify('plan.show', { chat = chat.id })
  end
  if chat.traffic then
    host().notify('traffic.open', { chat = chat.id })
  end
  if chat.queue_write then
    host().notify('queue.write', chat.queue_write)
  end
end

-- A host that starts, or opens the chat, may take longer.
---@param chat acp.Chat
---@param prompt? string
local function check_host(chat, prompt)
  local state = chat.prompt_state
  if chat.is_open_in_host and state and not state.is_of_earlier_host then
    require('acp.host.requests').check(prompt)
  end
end

local function ensure_open(chat)
  if not chat.is_open_in_host then
    M.open(chat)
  end
end

---@param chat acp.Chat
---@param text string
---@param options? { id?: string, callback?: integer, steer?: boolean, is_quiet?: boolean } id: of the prompt;
---  callback: of |acp.attention.callbacks|; is_quiet: does not scroll to the end
---@return boolean|nil sent
function M.send(chat, text, options)
  ensure_open(chat)
  options = options or {}
  local sending = require('acp.chat.prompt.sending')
  local id = options.id or sending.new_id()
  table.insert(chat.unaccepted, { id = id, text = text })
  -- Neovim may be killed before it hears of the prompt again.
  require('acp.chat.drafts').save(chat)
  local is_sent = host().notify('prompt.send', {
    chat = chat.id,
    id = id,
    text = text,
    callback = options.callback,
    steer = options.steer,
    -- A turn begins with them, and the host need not ask.
    openFiles = sending.action(chat) == 'send' and require('acp.buffers').files() or nil,
  })
  if not is_sent then
    table.remove(chat.unaccepted)
    require('acp.chat.drafts').touch(chat)
    -- A caller with a callback is told.
    if not options.callback then
      sending.give_back(chat, { id }, text)
    end
    return is_sent
  end
  check_host(chat, text)
  if not options.is_quiet then
    require('acp.chat.transcript').go_to_end(chat)
  end
  return is_sent
end

--- Sends the last prompt again.
---@param chat acp.Chat
function M.retry(chat)
  ensure_open(chat)
  host().notify('prompt.retry', { chat = chat.id })
  require('acp.chat.transcript').go_to_end(chat)
end

--- Lists the earlier prompts that have the words of a query, or clears them after a confirmation.
---@param chat acp.Chat
---@param query string
---@param is_clearing boolean
function M.show_history(chat, query, is_clearing)
  ensure_open(chat)
  if is_clearing then
    host().notify('history.confirm', { chat = chat.id })
  else
    host().notify('history.show', { chat = chat.id, query = query })
  end
end

--- Runs a shell command of the user in the folder of a chat.
---@param chat acp.Chat
---@param line string
function M.run(chat, line)
  ensure_open(chat)
  host().notify('terminal.run', { chat = chat.id, line = line })
end

--- Takes a picture from the clipboard; the host puts a mention of it into the prompt.
---@param chat acp.Chat
function M.paste(chat)
  ensure_open(chat)
  host().notify('picture.paste', { chat = chat.id })
end

--- Tells the host once for each prompt that the user has begun to write it. Called for each typed character.
---@param chat acp.Chat
function M.prepare_turn(chat)
  if chat.is_turn_prepared or require('acp.ui.buffer_text').is_empty(chat.prompt) then
    return
  end
  chat.is_turn_prepared = host().notify_if_running('turn.prepare', { chat = chat.id })
  -- The first answer of an agent does not wait for these modules.
  vim.schedule(function()
    vim.tbl_map(require, { 'acp.buffers', 'acp.buffers.external_changes', 'acp.ask' })
  end)
end

--- Stops the running turn.
---@param chat acp.Chat
function M.cancel(chat)
  host().notify('turn.cancel', { chat = chat.id })
  check_host(chat)
end

--- Lets the user choose a value of a setting, or first the setting.
---@param chat acp.Chat
---@param which { category?: string, setting?: string }
function M.show_setting(chat, which)
  ensure_open(chat)
  host().notify('setting.show', vim.tbl_extend('force', which, { chat = chat.id }))
end

--- Changes a setting to the value that a word names.
---@param chat acp.Chat
---@param which { category?: string, setting?: string, value: string }
function M.choose_setting(chat, which)
  ensure_open(chat)
  host().notify('setting.choose', vim.tbl_extend('force', which, { chat = chat.id }))
end

--- Changes the mode or the model to the next one.
---@param chat acp.Chat
---@param category 'mode'|'model'
function M.cycle(chat, category)
  ensure_open(chat)
  host().notify('setting.cycle', { chat = chat.id, category = category })
end

--- Starts the agent again, with the configuration as it is now.
---@param chat acp.Chat
function M.restart(chat)
  if open_in_host(chat) then
    host().notify('agent.restart', { chat = chat.id })
  end
end

return M
