--- `:AcpPermissions`
local M = {}

local function notify(op, payload)
  require('acp.host').notify(op, payload)
end

local function edit(path)
  vim.cmd.split(vim.fn.fnameescape(path))
  vim.bo.commentstring = '# %s'
end

local actions = {}

--- Opens the rules for all projects.
function actions.edit()
  edit(require('acp.config').for_host().permission_files.user)
end

--- Opens the rules of the project.
function actions.project(chat)
  edit(vim.fs.joinpath(chat.cwd, '.acp-permissions'))
end

function actions.trust(chat)
  notify('permissions.inspect', { chat = chat.id })
end

actions['try'] = function(chat, rest)
  if rest == '' then
    return require('acp.messages').warn('which command? :AcpPermissions try git push')
  end
  notify('permissions.try', { chat = chat.id, command = rest })
end

function actions.add(chat, rest)
  notify('permissions.add', { chat = chat.id, rule = rest })
end

function actions.remove(chat, rest)
  notify('permissions.remove', { chat = chat.id, rule = rest })
end

--- Allows everything in this session but destructive commands.
actions['allow-all'] = function(chat)
  notify('permissions.confirm', { chat = chat.id })
end

--- Ends that.
function actions.ask(chat)
  notify('permissions.allow', { chat = chat.id, on = false })
end

M.words = { 'add', 'allow-all', 'ask', 'edit', 'project', 'remove', 'trust', 'try' }

---@param chat acp.Chat
---@param args string
function M.run(chat, args)
  local word, rest = args:match('^(%S*)%s*(.-)%s*$')
  if word == '' then
    return notify('permissions.show', { chat = chat.id })
  end
  local action = actions[word]
  if action then
    return action(chat, rest)
  end
  local message = 'unknown word "%s"; use one of: %s'
  require('acp.messages').warn(message:format(word, table.concat(M.words, ', ')))
end

return M
