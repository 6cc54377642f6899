--- Creates, shows and closes chats.
local M = {}

local chats = require('acp.chats')
local is_set_up = false

local function set_up()
  if not is_set_up then
    is_set_up = true
    require('acp.ui.highlight').define()
    require('acp.buffers.file_times').watch()
    require('acp.lsp').set_up()
    require('acp.attention.seen').watch()
    require('acp.dialogs.idle').watch_screen()
  end
end

--- The agent of a chat without a name: that of the project, else that of the options.
---@return string
function M.default_agent()
  local project = require('acp.agents.project').read(require('acp.root').folder())
  return project.agent or require('acp.agents').default()
end

--- The current chat or the one with the named agent, created if there is none.
---@param name? string
---@param retry? fun() called once the user has consented to install the agent; until then there is no chat
---@return acp.Chat|nil
function M.ensure(name, retry)
  local chat = not name and chats.current()
  if not chat then
    name = name or M.default_agent()
    chat = chats.with_agent(name)
  end
  if chat then
    chats.select(chat)
    return chat
  end
  return M.create(name, nil, retry)
end

-- What a private chat needs while it is open is in the temporary folder, which Neovim deletes when it exits.
---@param file string
---@param is_private boolean
---@return string
local function journal_path(file, is_private)
  if is_private then
    return vim.fs.joinpath(vim.fs.dirname(vim.fn.tempname()), 'acp-private', file)
  end
  return require('acp.paths').state(file)
end

---@param earlier acp.NewChat
---@param agent acp.Agent
---@param project acp.ProjectSettings
---@return boolean
local function is_private_chat(earlier, agent, project)
  if earlier.is_private ~= nil or earlier.session then
    return earlier.is_private == true
  end
  return agent.private or project.private or require('acp.config').get().private
end

---@class acp.NewChat what a new chat begins with
---@field cwd? string
---@field origin? string the folder whose worktree it is in
---@field session? string the session to continue
---@field is_fork? boolean continue with a copy of it
---@field earlier_journal? string its journal
---@field title? string its title
---@field is_private? boolean

--- Creates a chat with an agent, optionally one that continues an earlier session.
---@param name string
---@param earlier? acp.NewChat
---@param retry? fun() called once the user has consented to install the agent; until then there is no chat
---@return acp.Chat|nil
function M.create(name, earlier, retry)
  local agent = require('acp.agents').find_startable(name, retry)
  if not agent then
    return nil
  end
  require('acp.host').start_early()
  set_up()
  -- Remembering writes a file; the windows should open first.
  vim.schedule(function()
    require('acp.agents').remember(name)
  end)
  local id = chats.new_id()
  local file = ('%s-%d-%d.jsonl'):format(os.date('%Y%m%d-%H%M%S'), vim.fn.getpid(), id)
  earlier = earlier or {}
  local cwd = earlier.cwd or require('acp.root').folder()
  -- A session that is continued has its settings; the host may wait, so Neovim must not ask here.
  local projects = require('acp.agents.project')
  local project = earlier.session and {}
    or earlier.origin and projects.known(earlier.origin)
    or projects.read(cwd)
  local is_private = is_private_chat(earlier, agent, project)
  local chat = vim.tbl_extend('force', {
    id = id,
    agent = name,
    cwd = cwd,
    project = project,
    journal = journal_path(file, is_private),
    is_private = is_private,
    bar = { left = { { name, 'AcpAgent' } }, right = {} },
    waiting = 0,
    unaccepted = {},
    returning = {},
    questions = {},
    -- The version the user consented to runs, even if the registry has a newer one by now.
    launch = agent.registry and agent or nil,
    last_agent = agent,
  }, earlier)
  chats.add(chat)
  return chat
end

--- Creates the buffers of a chat that are missing, and opens it in the host.
---@param chat acp.Chat
function M.prepare(chat)
  local is_new = not chat.buf
  if is_new then
    require('acp.chat.transcript').create_buffer(chat)
    require('acp.attention.progress').show_in_buffer(chat)
  end
  require('acp.chat.prompt').ensure_buffer(chat)
  if is_new or not chat.is_open_in_host then
    -- The windows should open first.
    vim.schedule(function()
      if chat.buf and (is_new or not chat.is_open_in_host) then
        require('acp.chat.actions').open(chat)
      end
    end)
  end
end

--- Opens the windows of a chat and goes to its prompt. Commands are about it from now on.
---@param chat acp.Chat
function M.show(chat)
  chats.select(chat)
  M.prepare(chat)
  require('acp.ui.return_tab').leave(chat.buf)
  local win = require('acp.chat.window').open(chat)
  require('acp.ui.windows').go_to(win)
  local is_empty = require('acp.ui.buffer_text').is_empty(chat.prompt)
  if is_empty and require('acp.config').get().insert then
    vim.cmd.startinsert()
  end
end

---@param chat acp.Chat
function M.close(chat)
  require('acp.host').notify_if_running('chat.close', { chat = chat.id })
  require('acp.ask').forget(chat)
  require('acp.chat.prompt.sending').finish(chat)
  require('acp.chat.drafts').flush(chat)
  require('acp.chat.prompt.queue').forget(chat)
  chats.remove(chat)
  require('acp.attention').forget(chat)
  require('acp.dialogs.question').forget(chat)
  require('acp.review.conflict').forget(chat.id)
  require('acp.review').close(chat)
  require('acp.chat.window').close(chat)
  require('acp.chat.kept_view').forget(chat)
  for _, buf in pairs({ chat.buf, chat.prompt, chat.plan, chat.traffic }) do
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
  end
  require('acp.ui.autocommands').forget(chat)
end

return M
