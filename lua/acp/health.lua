--- `:checkhealth acp`
local M = {}

local health = vim.health
local oldest_node = 20
local program_deadline = 5000

local function check_neovim()
  health.start('Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('version ' .. tostring(vim.version()))
  else
    health.error('version ' .. tostring(vim.version()), 'Install Neovim 0.10 or newer.')
  end
  for _, complaint in ipairs(require('acp.config').complaints()) do
    health.warn(complaint)
  end
end

local function check_node(node)
  local path = vim.fn.exepath(node)
  if path == '' then
    local advice = 'Install Node 20 or newer, or set the option "node" to its path.'
    return health.error(('"%s" was not found'):format(node), advice)
  end
  local version =
    vim.trim(vim.system({ path, '--version' }, { text = true }):wait(program_deadline).stdout or '')
  local major = tonumber(version:match('v(%d+)'))
  if major and major >= oldest_node then
    health.ok(('%s %s'):format(path, version))
  else
    health.error(('%s is %s'):format(path, version), 'Install Node 20 or newer.')
  end
end

local function check_build(root)
  local advice = ('Run "npm ci && npm run build" in %s.'):format(root)
  for _, name in ipairs({ 'host.js', 'code-cache.js', 'remote.js', 'tour.js', 'diff-worker.js' }) do
    local file = vim.fs.joinpath(root, 'dist', name)
    if vim.uv.fs_stat(file) then
      health.ok('built: ' .. file)
    else
      health.error('not built: ' .. file, advice)
    end
  end
end

local function check_terminals(root, node)
  local script = "require('node-pty').spawn"
  local result = vim
    .system({ node, '-e', script }, { cwd = root, text = true })
    :wait(program_deadline)
  if result.code == 0 then
    health.ok('node-pty loads: agents can run commands in terminals')
    local is_linux = vim.uv.os_uname().sysname == 'Linux'
    local what = is_linux and 'leaves its process group and clears its environment'
      or 'leaves its process group (setsid, a daemon)'
    health.info(('a command that %s is not killed with its terminal'):format(what))
  else
    local advice =
      'Run "npm install" in %s, then :AcpRestart!. Everything except terminals works without it.'
    health.warn('node-pty does not load', advice:format(root))
  end
end

local function check_host()
  health.start('Host')
  local config = require('acp.config').get()
  local root = require('acp.paths').root
  check_node(config.node)
  check_build(root)
  if vim.fn.executable(config.node) == 1 then
    check_terminals(root, config.node)
  end
  if not require('acp.host').is_running() then
    return health.info(('host = "%s", not running'):format(config.host))
  end
  local status, reason = require('acp.host').request('host.status', {})
  if not status then
    local advice = ':AcpRestart! restarts it. :AcpLog shows its log.'
    return health.error(('host = "%s": %s'):format(config.host, reason), advice)
  end
  local message = 'host = "%s", version %s, pid %d, node %s'
  health.ok(message:format(config.host, status.version, status.pid, status.node))
  for _, chat in ipairs(status.chats) do
    health.info(('chat %d with %s: %s'):format(chat.id, chat.agent, chat.phase))
  end
  for _, problem in ipairs(status.unreadableRules) do
    health.error(problem, 'Until it can be read, you are asked about everything.')
  end
end

local function hints(agent)
  local login = agent.login and ('\nLog in: %s'):format(agent.login) or ''
  return login .. (agent.notes and '\n' .. agent.notes or '')
end

local function check_version_of_node(agent, is_installed)
  local problem, advice = require('acp.agents.node').problem(agent)
  if problem and is_installed then
    health.warn(problem, advice)
  end
  return problem and ('\n%s. %s'):format(problem, advice) or ''
end

local function check_agent(agent)
  local spec, without_secrets = require('acp.agents.spec'), require('acp.agents.without_secrets')
  local lack, advice = spec.lack(agent)
  if agent.registry then
    local state = require('acp.agents.registry').state(agent)
    local old_node = check_version_of_node(agent, false)
    health.info(('%s: %s%s'):format(agent.name, state, old_node))
  elseif lack then
    health.error(lack, advice)
  elseif not spec.is_program(agent) then
    local address = without_secrets.address(agent.url)
    local message = ('%s: %s, over %s'):format(agent.name, address, agent.transport)
    if spec.is_encrypted(agent.url) then
      return health.info(message)
    end
    local encrypt = 'It is not encrypted: others in the network can read keys and conversations, and answer in its '
      .. 'place. Use wss:// or https://, or a tunnel such as "ssh -L".'
    health.warn(message, encrypt)
  elseif require('acp.agents').is_installed(agent) then
    health.ok(('%s: %s%s'):format(agent.name, without_secrets.command(agent.command), hints(agent)))
    check_version_of_node(agent, true)
  else
    local install = agent.install and (' Install it: ' .. agent.install) or ''
    local message = '%s: "%s" is not on PATH.%s%s'
    local more = check_version_of_node(agent, false) .. hints(agent)
    health.info(message:format(agent.name, agent.command[1], install, more))
  end
end

local function check_agents()
  health.start('Agents')
  vim.tbl_map(check_agent, require('acp.agents').list())
end

--- The result of the check as lines, for a report.
---@return string[]
function M.lines()
  local lines = {}
  local function add(word)
    return function(message, advice)
      local text = ('%s %s'):format(word, message) .. (advice and '\n  ' .. advice or '')
      vim.list_extend(lines, vim.split(text, '\n'))
    end
  end
  local reporter = health
  health = {
    start = add('#'),
    ok = add('OK'),
    info = add('INFO'),
    warn = add('WARNING'),
    error = add('ERROR'),
  }
  local ok, failure = pcall(M.check)
  health = reporter
  if not ok then
    table.insert(lines, 'ERROR the check failed: ' .. tostring(failure))
  end
  return lines
end

-- Whoever can write to the folder could put links in the place of the files, and read what is written through them.
---@param folder string
local function check_private(folder)
  local stat = vim.uv.fs_stat(folder)
  if not stat or vim.fn.has('unix') == 0 then
    return
  end
  local is_open = bit.band(stat.mode, tonumber('022', 8)) ~= 0
  if stat.uid ~= vim.uv.getuid() or is_open then
    local advice = ('Be its owner, and: chmod go-w %s'):format(vim.fn.shellescape(folder))
    health.warn('other users can write to ' .. folder, advice)
  end
end

function M.check()
  check_neovim()
  check_host()
  check_agents()
  health.start('Files')
  health.info('log: ' .. require('acp.paths').log())
  health.info('agents of the registry: ' .. require('acp.paths').cache())
  check_private(require('acp.paths').cache())
  check_private(require('acp.paths').state())
  health.info('journals: ' .. require('acp.paths').state())
end

return M
