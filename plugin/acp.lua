if vim.g.loaded_acp then
  return
end
vim.g.loaded_acp = true

-- Every command once: `chat` becomes `:AcpChat` and `:Acp chat`, done by `chat` in lua/acp/commands.lua.
local commands = {
  chat = { nargs = '?', bang = true, desc = 'Open a chat with an agent; with ! close or open it' },
  new = { nargs = '?', desc = 'Begin a new session in a chat of its own' },
  sessions = {
    nargs = '?',
    bang = true,
    desc = 'Open, close or delete a session; with ! those of all folders',
  },
  agents = { nargs = 0, desc = 'Choose from all agents, those of the registry included' },
  send = { nargs = '*', range = true, desc = 'Send a prompt, with the lines of a range' },
  cancel = { nargs = 0, desc = 'Stop the running turn' },
  answer = { nargs = 0, desc = 'Answer the question the agent waits for' },
  follow = { nargs = 0, desc = 'Let this window follow what the agent works on, or stop that' },
  plan = { nargs = 0, desc = 'Show or hide the plan of the agent in a window of its own' },
  run = {
    nargs = '+',
    desc = 'Run a command in a terminal and add its output to the prompt',
  },
  terminals = { nargs = '?', desc = 'Open or kill a command that runs or ran in a terminal' },
  review = { nargs = '?', desc = 'Keep or reject what the agent changed, hunk by hunk' },
  restore = { nargs = '?', desc = 'Put the files back as they were before a prompt' },
  login = { nargs = 0, desc = 'Log in to the agent' },
  logout = { nargs = 0, desc = 'Log out of the agent' },
  mode = { nargs = 0, desc = 'Choose the mode of the agent' },
  model = { nargs = 0, desc = 'Choose the model of the agent' },
  option = { nargs = 0, desc = 'Choose what else the agent lets you set' },
  restart = { nargs = 0, bang = true, desc = 'Start the agent again; with ! the host too' },
  close = { nargs = 0, desc = 'End the chat and its agent' },
  traffic = { nargs = 0, desc = 'Show the messages to and from the agent' },
  record = {
    nargs = '?',
    bang = true,
    desc = 'Record the messages to a file, from the first one that is kept; with ! stop',
  },
  log = { nargs = 0, desc = 'Open the log file' },
}

local function run(name, args)
  require('acp.commands').run(name, args)
end

local function complete(name, lead)
  return require('acp.commands').complete(name, lead)
end

for name, command in pairs(commands) do
  local options = { nargs = command.nargs, bang = command.bang, range = command.range }
  options.desc = command.desc
  -- A prompt or a shell line may hold a bar; every other command can be followed by one.
  options.bar = name ~= 'send' and name ~= 'run'
  if command.nargs ~= 0 then
    options.complete = function(lead)
      return complete(name, lead)
    end
  end
  vim.api.nvim_create_user_command('Acp' .. name:gsub('^%l', string.upper), function(args)
    run(name, args)
  end, options)
end

vim.api.nvim_create_user_command('Acp', function(args)
  local name, rest = args.args:match('^(%S+)%s*(.*)$')
  if not commands[name] then
    local message = ('acp: no command "%s"; :Acp <Tab> lists them'):format(name)
    vim.notify(message, vim.log.levels.ERROR)
    return
  end
  args.args = rest
  run(name, args)
end, {
  nargs = '+',
  bang = true,
  range = true,
  desc = 'Work with coding agents',
  complete = function(lead, line)
    local name = line:match('Acp!?%s+(%S+)%s')
    if name then
      return complete(name, lead)
    end
    local names = vim.tbl_filter(function(candidate)
      return vim.startswith(candidate, lead)
    end, vim.tbl_keys(commands))
    table.sort(names)
    return names
  end,
})

local function plug(modes, name, rhs, desc)
  vim.keymap.set(modes, ('<Plug>(acp-%s)'):format(name), rhs, { desc = desc })
end

plug('n', 'chat', '<Cmd>AcpChat<CR>', 'Open the chat')
plug('n', 'toggle', '<Cmd>AcpChat!<CR>', 'Open or close the chat')
plug('n', 'cancel', '<Cmd>AcpCancel<CR>', 'Stop the running turn')
plug('n', 'answer', '<Cmd>AcpAnswer<CR>', 'Answer the agent')
plug('n', 'send', function()
  require('acp.commands').ask()
end, 'Ask the agent')
plug('x', 'send', function()
  require('acp.commands').ask_about_selection()
end, 'Ask the agent about the selection')

-- A session file of |:mksession| brings our buffers back by their names alone, and uses windows that may be ours.
local group = vim.api.nvim_create_augroup('acp.mksession', {})

local function on(event, pattern, callback)
  vim.api.nvim_create_autocmd(event, { group = group, pattern = pattern, callback = callback })
end

-- The first option that a session file sets: there is no event for its beginning.
on('OptionSet', 'scrolloff', function()
  if vim.g.SessionLoad and package.loaded['acp.window'] then
    require('acp.window').undress_all()
  end
end)
on('BufFilePre', '*', function()
  if vim.g.SessionLoad then
    require('acp.names').make_room()
  end
end)
-- Neovim 0.10 would tell of each name, and wait for a key.
on('BufFilePost', 'acp://*', function()
  if vim.g.SessionLoad then
    vim.opt.shortmess:append('F')
  end
end)
on('SessionLoadPost', '*', function()
  vim.schedule(require('acp.names').remove_restored)
end)
on('BufReadCmd', 'acp://*', function()
  vim.schedule(require('acp.names').remove_stale)
end)
