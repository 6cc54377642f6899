--- `:AcpPermissions`
local M = {}

local function notify(op, payload)
  require('acp.host').notify(op, payload)
end

---@param chat acp.Chat
---@param path string
local function edit(chat, path)
  local file = require('acp.ui.open_file').buffer_of(path)
  require('acp.ui.windows').open_at_edge(file, 'below', math.floor(vim.o.lines / 2))
  vim.bo.commentstring = '# %s'
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = vim.api.nvim_create_augroup('acp.permissions.' .. buf, {}),
    buffer = buf,
    callback = function()
      if require('acp.chats').get(chat.id) then
        notify('permissions.check', { chat = chat.id })
      end
    end,
  })
end

local actions = {}

--- Opens the rules for all projects.
function actions.edit(chat)
  local file = require('acp.config').for_host().permission_files.user
  -- If that fails, `:w` says why.
  pcall(vim.fn.mkdir, vim.fs.dirname(file), 'p')
  edit(chat, file)
end

--- Opens the rules of the project.
function actions.project(chat)
  edit(chat, vim.fs.joinpath(chat.cwd, '.acp-permissions'))
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
