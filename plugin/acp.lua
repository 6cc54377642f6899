-- A plugin manager has forgotten the modules and loads the plugin again: the host would stay beside a second one.
if not package.loaded['acp.host'] and vim.fn.exists('#acp.unload#User#AcpUnload') == 1 then
  vim.api.nvim_exec_autocmds('User', { group = 'acp.unload', pattern = 'AcpUnload' })
  vim.g.loaded_acp = nil
end

if vim.g.loaded_acp then
  return
end
vim.g.loaded_acp = true

-- Every command once: `chat` becomes `:AcpChat` and `:Acp chat`. lua/acp/commands/ has what they do.
local commands = {
  chat = {
    nargs = '?',
    bang = true,
    desc = 'Open a chat with an agent; with ! open or close its windows',
  },
  new = {
    nargs = '?',
    bang = true,
    desc = 'Start a new session in another chat; with ! in a worktree of its own',
  },
  worktree = { nargs = 0, desc = 'Show the worktree of the session; merge it back or remove it' },
  sessions = {
    nargs = '?',
    bang = true,
    desc = 'Choose a session to open, close or delete, or open a list of them; with ! of all folders',
  },
  private = {
    nargs = '?',
    desc = 'Start a new session in another chat, of which nothing is kept',
  },
  forget = {
    nargs = '?',
    desc = 'Delete what is kept of the session, or of all sessions of the folder, after showing it',
  },
  rename = { nargs = '*', desc = 'Give the session a title; without one ask for it' },
  fork = { nargs = 0, desc = 'Continue in another chat with a copy of the session' },
  search = {
    nargs = '+',
    desc = 'Search all conversations for a text and open one there',
  },
  export = {
    nargs = '?',
    bang = true,
    desc = 'Show the chat as Markdown, or write it to a file; with ! replace the file',
  },
  agents = {
    nargs = 0,
    desc = 'Choose an agent, also one of the registry, and open a chat with it',
  },
  send = { nargs = '*', range = true, desc = 'Send a prompt and the lines of a range' },
  retry = { nargs = 0, desc = 'Send the last prompt of the chat again' },
  history = {
    nargs = '*',
    bang = true,
    desc = 'Choose an earlier prompt that has these words; with ! forget the prompts of the folder',
  },
  add = {
    nargs = '*',
    bang = true,
    range = true,
    desc = 'Add the file, the lines of a range, or what is named to the draft; with ! go to the draft',
  },
  ask = {
    nargs = 0,
    range = true,
    desc = 'Ask about the line of the cursor or a range, in a small window',
  },
  prompt = {
    nargs = '*',
    bang = true,
    range = true,
    desc = 'Send the prompt of a name; without a name choose it; with ! put it into the draft',
  },
  fix = {
    nargs = '*',
    bang = true,
    range = true,
    desc = 'Ask the agent to fix the diagnostics; with ! put it into the draft',
  },
  explain = {
    nargs = '*',
    bang = true,
    range = true,
    desc = 'Ask the agent to explain the line or the range; with ! put it into the draft',
  },
  test = {
    nargs = '*',
    bang = true,
    range = true,
    desc = 'Ask the agent for tests of the line or the range; with ! put it into the draft',
  },
  commit = {
    nargs = '*',
    bang = true,
    range = true,
    desc = 'Ask the agent for a commit message; with ! put it into the draft',
  },
  paste = { nargs = 0, desc = 'Put the picture in the clipboard into the prompt' },
  cancel = { nargs = 0, desc = 'Stop the running turn' },
  queue = {
    nargs = '?',
    desc = 'Edit the prompts that wait; or send the first one now, resume or pause the queue',
  },
  steer = { nargs = '*', desc = 'Send a prompt, or what the prompt has, into the running turn' },
  answer = { nargs = 0, desc = 'Answer the oldest open question' },
  inbox = { nargs = 0, desc = 'Choose from what waits for you in all chats' },
  follow = { nargs = 0, desc = 'Show the file the agent works on in this window; again to stop' },
  plan = { nargs = 0, desc = 'Show or hide the plan of the agent in a separate window' },
  run = {
    nargs = '+',
    desc = 'Run a command in a terminal and add its output to the prompt',
  },
  terminals = { nargs = '?', desc = 'Choose a terminal of the agent or of :AcpRun to open or kill' },
  review = {
    nargs = '?',
    desc = 'Review the changes of the agent, from a file on: keep or reject each hunk',
  },
  restore = { nargs = '?', desc = 'Restore the files as they were before a prompt' },
  permissions = {
    nargs = '*',
    desc = 'Show the rules about what agents may do; make, edit, try or trust them',
  },
  why = { nargs = 0, desc = 'Explain the last decision about a request of the agent' },
  login = { nargs = 0, desc = 'Log in to the agent' },
  logout = { nargs = 0, desc = 'Log out of the agent' },
  mode = { nargs = '?', desc = 'Change the mode of the session; without a name choose it' },
  model = { nargs = '?', desc = 'Change the model of the session; without a name choose it' },
  option = { nargs = '*', desc = 'Change an option of the session; without a name choose it' },
  restart = { nargs = 0, bang = true, desc = 'Restart the agent; with ! restart the host' },
  close = { nargs = 0, desc = 'Close the chat and end its session' },
  traffic = { nargs = 0, desc = 'Show the protocol messages to and from the agent' },
  record = {
    nargs = '?',
    bang = true,
    desc = 'Record the protocol messages to a file, from the oldest one kept on; with ! stop',
  },
  report = { nargs = 0, desc = 'Show what a bug report needs, without secrets' },
  log = { nargs = 0, desc = 'Open the log file' },
}

local function run(name, args)
  require('acp.commands').run(name, args)
end

local function complete(name, lead, line)
  return require('acp.commands').complete(name, lead, line)
end

for name, command in pairs(commands) do
  local options = { nargs = command.nargs, bang = command.bang, range = command.range }
  options.desc = command.desc
  -- A prompt or a shell line may hold a bar; every other command can be followed by one.
  local has_bar = {
    send = true,
    steer = true,
    run = true,
    add = true,
    permissions = true,
    prompt = true,
    fix = true,
    explain = true,
    test = true,
    commit = true,
  }
  options.bar = not has_bar[name]
  if command.nargs ~= 0 then
    options.complete = function(lead, line, position)
      return complete(name, lead, line:sub(1, position))
    end
  end
  vim.api.nvim_create_user_command('Acp' .. name:gsub('^%l', string.upper), function(args)
    run(name, args)
  end, options)
end

vim.api.nvim_create_user_command('Acp', function(args)
  local name, rest = args.args:match('^(%S+)%s*(.*)$')
  if not name then
    return require('acp.commands').palette(args)
  end
  if not commands[name] then
    local message = 'unknown command "%s"; :Acp <Tab> lists them'
    return require('acp.messages').error(message:format(name))
  end
  args.args = rest
  table.remove(args.fargs, 1)
  run(name, args)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Choose what to do; :Acp chat is :AcpChat',
  complete = function(lead, line, position)
    line = line:sub(1, position)
    local name = line:match('Acp!?%s+(%S+)%s')
    if name then
      return complete(name, lead, line)
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
plug({ 'n', 'i' }, 'steer', '<Cmd>AcpSteer<CR>', 'Send the prompt into the running turn')
plug('n', 'queue', '<Cmd>AcpQueue<CR>', 'Edit the prompts that wait')
plug({ 'n', 'x', 'i', 't', 'c' }, 'answer', '<Cmd>AcpAnswer<CR>', 'Answer the agent')
plug('o', 'answer', '<Esc><Cmd>AcpAnswer<CR>', 'Answer the agent')
plug({ 'n', 'x', 'i', 't' }, 'next', function()
  require('acp.commands').go_to_next()
end, 'Go to what waits for you')
for _, setting in ipairs({ 'mode', 'model' }) do
  plug({ 'n', 'v', 'i', 't' }, 'cycle-' .. setting, function()
    require('acp.commands').cycle(setting)
  end, 'Change the ' .. setting .. ' to the next one')
end
plug('n', 'ask', function()
  require('acp.commands').ask()
end, 'Ask about the line of the cursor')
plug('x', 'ask', function()
  require('acp.commands').ask_about_selection()
end, 'Ask about the selection')
plug('n', 'add-file', '<Cmd>AcpAdd<CR>', 'Add the file to the draft')

-- An operator; typed twice, or with `-line` at the end of its name, it takes the line.
local function operator(name, desc)
  local function on(modes, suffix, keys)
    local lhs = ('<Plug>(acp-%s%s)'):format(name, suffix)
    vim.keymap.set(modes, lhs, function()
      return keys(require('acp.commands.operator'))
    end, { expr = true, desc = desc })
  end
  on({ 'n', 'x' }, '', function(operators)
    return operators.start(name)
  end)
  on('o', '', function(operators)
    return operators.line(name)
  end)
  on('n', '-line', function(operators)
    return operators.start(name, '_')
  end)
end

operator('send', 'Send lines to the agent')
operator('add', 'Add lines to the draft')

-- A session file of |:mksession| restores our buffers by name only, and reuses windows that may be ours.
local group = vim.api.nvim_create_augroup('acp.mksession', {})

local function on(event, pattern, callback)
  vim.api.nvim_create_autocmd(event, { group = group, pattern = pattern, callback = callback })
end

local function is_loading()
  return require('acp.session_file').is_loading()
end

-- The first option that a session file sets: no event is fired when it begins.
on('OptionSet', 'scrolloff', function()
  if vim.g.SessionLoad and package.loaded['acp.ui.window_options'] and is_loading() then
    require('acp.session_file').free_windows()
  end
end)
on('BufFilePre', '*', function()
  if vim.g.SessionLoad and is_loading() then
    require('acp.session_file').free_names()
  end
end)
-- Neovim 0.10 would show a message for each name, and wait for a key.
on('BufFilePost', 'acp://*', function()
  if vim.g.SessionLoad and is_loading() then
    vim.opt.shortmess:append('F')
  end
end)
on('BufReadCmd', 'acp://*', function()
  vim.schedule(require('acp.ui.buffer_names').remove_stale)
end)
