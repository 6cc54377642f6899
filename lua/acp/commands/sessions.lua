--- `:AcpSessions` and `:AcpRename`
local M = {}

local actions = { 'open', 'close', 'delete' }

--- Lets the user choose a session: of those the agent lists, and of the journals kept here.
---@param name string the agent
---@param action 'open'|'close'|'delete'
---@param is_all boolean those of all folders
local function browse(name, action, is_all)
  local agents = require('acp.agents')
  local agent = agents.find_startable(name, function()
    browse(name, action, is_all)
  end)
  if not agent then
    return
  end
  require('acp.dialogs.picker').loading(('asking %s for its sessions …'):format(name))
  require('acp.host').notify('sessions.show', {
    agent = agents.for_host(agent),
    names = agents.other_names(name),
    cwd = require('acp.root').folder(),
    folder = require('acp.paths').state(),
    pid = vim.fn.getpid(),
    action = action,
    all = is_all,
  })
end

---@param chat acp.Chat
---@return string|nil
local function title_of(chat)
  local title = chat.status and chat.status.title
  return title ~= '' and title or nil
end

---@return acp.Chat[] by id
local function open_chats()
  local chats = vim.tbl_values(require('acp.chats').all())
  table.sort(chats, function(one, other)
    return one.id < other.id
  end)
  return chats
end

--- What completes the command: what it does, and the titles of open chats.
---@return string[]
function M.words()
  local words = vim.list_extend({ 'panel' }, actions)
  return vim.list_extend(words, vim.iter(open_chats()):map(title_of):totable())
end

---@param title string
---@return acp.Chat|nil
local function find_chat(title)
  local function with(matches)
    return vim.iter(open_chats()):find(function(chat)
      local own = title_of(chat)
      return own ~= nil and matches(own)
    end)
  end
  return with(function(own)
    return own == title
  end) or with(function(own)
    return vim.startswith(own:lower(), title:lower())
  end)
end

--- Opens the list of sessions or a picker of them, or goes to the open chat with a title.
---@param agent string
---@param word string
---@param is_all boolean those of all folders
function M.run(agent, word, is_all)
  local is_panel = word == '' and require('acp.config').get().sessions ~= 'picker'
  if is_panel or word == 'panel' then
    return require('acp.sessions.panel').open(agent, is_all)
  elseif word == '' or vim.list_contains(actions, word) then
    return browse(agent, word == '' and 'open' or word, is_all)
  end
  local chat = find_chat(word)
  if chat then
    return require('acp.lifecycle').show(chat)
  end
  local message = 'no open chat is titled "%s"; :AcpSessions takes a title, or one of: panel, %s'
  require('acp.messages').warn(message:format(word, table.concat(actions, ', ')))
end

--- Gives the session of a chat a title, or asks for one.
---@param chat acp.Chat
---@param title string
function M.rename(chat, title)
  if title ~= '' then
    require('acp.host').notify('session.rename', { chat = chat.id, text = title })
  else
    require('acp.host').notify('title.ask', { chat = chat.id })
  end
end

return M
