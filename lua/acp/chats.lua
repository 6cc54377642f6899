--- The chats of this Neovim: which buffers show them, and what the user does with them.
local M = {}

---@class acp.Chat
---@field id integer
---@field agent string
---@field cwd string
---@field buf? integer the transcript
---@field prompt? integer the buffer the user writes in
---@field plan? integer the buffer of |:AcpPlan|
---@field review? integer the buffer with the files of |:AcpReview|
---@field transcript string the file the host keeps the conversation in
---@field session? string the conversation of before that it goes on with
---@field written? string the file that was written down in
---@field title? string what its agent calls that conversation
---@field launch? acp.Agent how it is started, if that is fixed
---@field is_known? boolean the host was told of it
---@field bar { left: string[][], right: string[][] } what stands above the transcript
---@field commands? { name: string, description: string, hint?: string }[] the slash commands of the agent
---@field context? acp.ExtensionContext what Lua functions are told
---@field draft? string the file that keeps what is written in the prompt
---@field returned? acp.ReturnedPrompt the prompt that came back last
---@field traffic? integer the buffer with the messages of the connection
---@field waiting integer questions that wait for an answer

---@type table<integer, acp.Chat>
local chats = {}
---@type acp.Chat|nil
local current
local next_id = 1

local function host()
  return require('acp.host')
end

-- What sessions with an agent are given: what all get, and what only this one gets.
local function provisions(agent)
  local config = require('acp.config').get()
  return {
    mcp_servers = { config.mcp_servers, agent.mcp_servers or {} },
    directories = vim.list_extend(vim.deepcopy(config.directories), agent.directories or {}),
  }
end

-- How to start an agent, as the host wants to know it.
local function spec_of(agent)
  -- An empty Lua table would arrive as a list.
  local env = next(agent.env) and agent.env or vim.empty_dict()
  local config = require('acp.config').get()
  local manners = { strict = config.strict, proposals = config.proposals }
  return vim.tbl_extend('keep', { env = env }, provisions(agent), agent, manners)
end

---@param chat acp.Chat
---@return boolean|nil told
local function tell_host(chat)
  chat.is_known = host().notify('chat.open', {
    chat = chat.id,
    agent = spec_of(chat.launch or require('acp.agents').find(chat.agent)),
    cwd = chat.cwd,
    transcript = chat.transcript,
    session = chat.session,
    written = chat.written,
    title = chat.title,
  })
  return chat.is_known
end

---@param chat acp.Chat
local function draw(chat)
  if tell_host(chat) then
    host().notify('chat.redraw', { chat = chat.id })
    if chat.plan then
      host().notify('plan.show', { chat = chat.id })
    end
    if chat.traffic then
      require('acp.traffic').resume(chat)
    end
  end
end

-- Where conversations are written down.
local function folder()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'acp')
end

local function on_quit()
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('acp.quit', {}),
    callback = function()
      host().quit()
    end,
  })
end

--- The agent of a name, if it can be started now. `retry` is called when the user has agreed to one of the registry.
---@param name string
---@param retry? fun()
---@return acp.Agent|nil
local function usable(name, retry)
  local agent = require('acp.agents').find(name)
  if not agent then
    local message = 'there is no agent "%s"; :AcpAgents lists those that are known'
    require('acp.notice').say(message:format(name), vim.log.levels.ERROR)
  elseif require('acp.registry').must_ask(agent) then
    require('acp.registry').take(agent, retry)
  elseif require('acp.agent_spec').lack(agent) then
    local problem = require('acp.agent_spec').problem(agent)
    require('acp.notice').say(problem, vim.log.levels.ERROR)
  else
    return agent
  end
end

---@param id integer
---@return acp.Chat|nil
function M.get(id)
  return chats[id]
end

--- Whether a chat of this Neovim is written down in a file.
---@param transcript string
---@return boolean
function M.writes_to(transcript)
  return vim.iter(pairs(chats)):any(function(_, chat)
    return chat.transcript == transcript
  end)
end

--- The chat a command without more words is about: that of this buffer, else the last one used.
---@return acp.Chat|nil
function M.current()
  return M.of(vim.api.nvim_get_current_buf()) or current
end

--- The chat with an agent, made if there is none. The windows come first: node may take its time.
---@param name? string
---@param retry? fun() called when the user has agreed to an agent that needs it; until then there is no chat
---@return acp.Chat|nil
function M.ensure(name, retry)
  if not name and M.current() then
    current = M.current()
    return current
  end
  name = name or require('acp.agents').default()
  for _, chat in pairs(chats) do
    if chat.agent == name then
      current = chat
      return chat
    end
  end
  return M.create(name, nil, retry)
end

--- A new chat with an agent, or one that goes on with a conversation of before.
---@param name string
---@param before? { cwd?: string, session?: string, written?: string, title?: string }
---@param retry? fun() called when the user has agreed to an agent that needs it; until then there is no chat
---@return acp.Chat|nil
function M.create(name, before, retry)
  local agent = usable(name, retry)
  if not agent then
    return nil
  end
  if next_id == 1 then
    on_quit()
    require('acp.highlight').define()
    require('acp.buffers.times').watch()
  end
  -- The windows should be there first.
  vim.schedule(function()
    require('acp.agents').remember(name)
  end)
  local file = ('%s-%d-%d.jsonl'):format(os.date('%Y%m%d-%H%M%S'), vim.fn.getpid(), next_id)
  current = vim.tbl_extend('force', {
    id = next_id,
    agent = name,
    cwd = vim.fn.getcwd(),
    transcript = vim.fs.joinpath(folder(), file),
    bar = { left = { { name, 'AcpAgent' } }, right = {} },
    waiting = 0,
    -- What was agreed to is what runs, even if the registry has something newer by now.
    launch = agent.registry and agent or nil,
  }, before or {})
  next_id = next_id + 1
  chats[current.id] = current
  return current
end

--- The chat a buffer belongs to, and as what.
---@param buf integer
---@return acp.Chat|nil, 'buf'|'prompt'|'traffic'|nil
function M.of(buf)
  for _, chat in pairs(chats) do
    if chat.buf == buf then
      return chat, 'buf'
    elseif chat.prompt == buf then
      return chat, 'prompt'
    elseif chat.traffic == buf then
      return chat, 'traffic'
    end
  end
end

--- The chat that `:AcpAnswer` is about: the current one, else any where a question waits.
---@return acp.Chat|nil
function M.asking()
  local chat = M.current()
  if chat and chat.waiting > 0 then
    return chat
  end
  local ids = vim.tbl_keys(chats)
  table.sort(ids)
  for _, id in ipairs(ids) do
    if chats[id].waiting > 0 then
      return chats[id]
    end
  end
end

--- Tells the user what happened in a chat that no window shows.
---@param chat acp.Chat
---@param text string
function M.tell_hidden(chat, text)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if buf == chat.buf or buf == chat.prompt then
      return
    end
  end
  require('acp.notice').say(text)
end

--- Lets the user choose a conversation of an agent, and of those written down here.
---@param name string
---@param action 'open'|'close'|'delete'
---@param is_all boolean those of all folders
function M.browse(name, action, is_all)
  local agent = usable(name, function()
    M.browse(name, action, is_all)
  end)
  if not agent then
    return
  end
  require('acp.picker').loading(('asking %s for its sessions …'):format(name))
  host().notify('sessions.show', {
    agent = spec_of(agent),
    cwd = vim.fn.getcwd(),
    folder = folder(),
    action = action,
    all = is_all,
  })
end

--- Makes the buffers of a chat that are missing, and tells the host what to draw.
---@param chat acp.Chat
function M.prepare(chat)
  local is_new = not chat.buf
  if is_new then
    require('acp.render').create_buffer(chat)
  end
  if not chat.prompt then
    require('acp.prompt').create_buffer(chat)
  end
  if is_new or not chat.is_known then
    -- Starting a process takes a millisecond or two; the windows should be there first.
    vim.schedule(function()
      if chat.buf and (is_new or not chat.is_known) then
        draw(chat)
      end
    end)
  end
end

---@param chat acp.Chat
---@param text string
---@return boolean|nil sent
function M.send(chat, text)
  if not chat.is_known then
    draw(chat)
  end
  return host().notify('prompt.send', { chat = chat.id, text = text })
end

--- Runs a command of the user's in the folder of a chat.
---@param chat acp.Chat
---@param line string
function M.run(chat, line)
  if not chat.is_known then
    draw(chat)
  end
  host().notify('terminal.run', { chat = chat.id, line = line })
end

---@param chat acp.Chat
function M.cancel(chat)
  host().notify('turn.cancel', { chat = chat.id })
end

---@param chat acp.Chat
function M.restart(chat)
  if tell_host(chat) then
    host().notify('agent.restart', { chat = chat.id })
  end
end

-- What the host had open is nobody's any more. Returns what the user has to know of it.
local function forget_host()
  require('acp.terminal').lost_host()
  require('acp.conflict').lost_host()
  local count = require('acp.question').lost_host(chats)
  return count == 0 and '' or ('; what it asked is withdrawn (%d)'):format(count)
end

--- Ends the host and starts it with all chats anew.
function M.restart_host()
  host().stop()
  forget_host()
  vim.tbl_map(draw, chats)
end

---@param chat acp.Chat
function M.close(chat)
  host().mention('chat.close', { chat = chat.id })
  chats[chat.id] = nil
  if current == chat then
    current = select(2, next(chats))
  end
  require('acp.question').forget(chat)
  require('acp.conflict').forget(chat.id)
  require('acp.review').close(chat)
  require('acp.window').close(chat)
  for _, buf in pairs({ chat.buf, chat.prompt, chat.plan, chat.traffic }) do
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
  end
end

--- The host runs again after it was given up.
function M.found_host()
  vim.tbl_map(draw, chats)
end

--- The host does not know a chat: the next that is wanted of it opens it there again.
---@param chat acp.Chat
function M.unknown(chat)
  chat.is_known = false
end

--- The host died. It is started again unless it keeps dying.
---@param reason string
---@param may_restart boolean
function M.lost_host(reason, may_restart)
  reason = reason .. forget_host()
  if may_restart then
    require('acp.notice').say(('%s; it was started again'):format(reason), vim.log.levels.WARN)
    vim.tbl_map(draw, chats)
    return
  end
  local hint = ':AcpLog shows more, :AcpRestart! tries again'
  require('acp.notice').say(('%s. %s'):format(reason, hint), vim.log.levels.ERROR)
  for _, chat in pairs(chats) do
    chat.is_known = false
    require('acp.render').show_winbar(chat, {
      left = { { chat.agent, 'AcpAgent' } },
      right = { { '✗ the host is down · :AcpRestart!', 'AcpFailed' } },
    })
  end
end

return M
