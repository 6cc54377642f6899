--- The agents that can be chosen: configured, built in, or from the registry.
local M = {}

---@class acp.Agent
---@field name string
---@field command string[] empty when it is reached at a url
---@field transport 'stdio'|'websocket'|'http'|'post'
---@field url? string where it is, if it is not a program of this machine
---@field headers? table<string, string>
---@field framing? 'content-length'
---@field paths? table<string, string> folders of the machine it runs on, with their paths here
---@field env table<string, string>
---@field install? string how to install it, in one line
---@field node? string the Node that its current releases need
---@field login? string how to log in, in one line
---@field notes? string
---@field registry? { version: string, is_allowed: boolean, problem?: string } its entry in the registry
---@field mcp_servers? table|string MCP servers for this agent; they override those for all agents
---@field mode? string of new sessions
---@field model? string of new sessions
---@field options? table<string, string|boolean> of new sessions
---@field agent? string of a profile: the agent that it starts
---@field own? table of a profile: its own fields
---@field worktree? boolean whether its new sessions have a worktree
---@field private? boolean whether its new sessions are private
---@field directories? string[] folders for this agent, in addition to those for all agents

local function tour()
  local node = require('acp.host.node').path() or require('acp.config').get().node
  return {
    name = 'tour',
    command = { node, vim.fs.joinpath(require('acp.paths').root, 'dist', 'tour.js') },
    env = { ACP_TOUR_MEMORY = require('acp.paths').state('tour') },
    notes = 'A demonstration; needs no key and no network.',
  }
end

-- A built-in agent with the user's configuration over it.
local function configure(preset, configured)
  local is_older = preset.older
    and not configured.command
    and vim.fn.executable(preset.command[1]) == 0
    and vim.fn.executable(preset.older[1]) == 1
  preset.command = is_older and preset.older or preset.command
  preset.older = nil
  -- A command of the user may have a Node of its own.
  preset.node = not is_older and not configured.command and preset.node or nil
  return require('acp.agents.spec').complete(preset, configured)
end

local function last_file()
  return require('acp.paths').state('last-agent')
end

local function named(agents, name)
  for _, agent in ipairs(agents) do
    if agent.name == name then
      return agent
    end
  end
end

---@param name string
---@return table|nil
local function configured_profile(name)
  local options = require('acp.config').get().agents[name]
  return options and options.agent and options or nil
end

-- A built-in or configured agent. Looking for it in the whole list would check every program on PATH.
local function find_known(name)
  local configured = vim.deepcopy(require('acp.config').get().agents[name])
  local preset = name == 'tour' and tour()
    or vim.deepcopy(named(require('acp.agents.presets'), name))
  if preset or configured then
    return configure(preset or { name = name }, configured or {})
  end
end

-- Every agent that is not a profile.
---@return acp.Agent[]
local function list_agents()
  local configured = vim.deepcopy(require('acp.config').get().agents)
  local agents = {}
  local presets = vim.deepcopy(require('acp.agents.presets'))
  for _, preset in ipairs(vim.list_extend(presets, { tour() })) do
    if not configured_profile(preset.name) then
      table.insert(agents, configure(preset, configured[preset.name] or {}))
    end
    configured[preset.name] = nil
  end
  for _, name in ipairs(vim.fn.sort(vim.tbl_keys(configured))) do
    if not configured_profile(name) then
      table.insert(agents, 1, configure({ name = name }, configured[name]))
    end
  end
  return require('acp.agents.registry').add_to(agents)
end

---@param name string
---@return acp.Agent|nil
local function find_agent(name)
  local agent = not configured_profile(name) and find_known(name)
  return named(agent and require('acp.agents.registry').add_to({ agent }) or list_agents(), name)
end

---@param name string
---@return acp.Agent|nil
local function find_profile(name)
  local options = vim.deepcopy(configured_profile(name))
  -- The agent of a profile may not be a profile itself.
  local base = options and not configured_profile(options.agent) and find_agent(options.agent)
  return base and require('acp.agents.spec').profile(base, name, options) or nil
end

--- Every agent and profile that can be chosen; configured agents override built-in ones.
---@return acp.Agent[]
function M.list()
  local agents = vim.tbl_filter(function(agent)
    return not configured_profile(agent.name)
  end, list_agents())
  for _, name in ipairs(vim.fn.sort(vim.tbl_keys(require('acp.config').get().agents))) do
    local profile = find_profile(name)
    if profile then
      table.insert(agents, 1, profile)
    end
  end
  return agents
end

---@param name string
---@return acp.Agent|nil
function M.find(name)
  if configured_profile(name) then
    return find_profile(name)
  end
  return find_agent(name)
end

--- Whether an agent can be started: its program is on PATH, or it is remote, which can't be checked.
---@param agent acp.Agent
function M.is_installed(agent)
  if
    require('acp.agents.spec').lack(agent) or (agent.registry and not agent.registry.is_allowed)
  then
    return false
  end
  return not require('acp.agents.spec').is_program(agent)
    or vim.fn.executable(agent.command[1]) == 1
end

--- The named agent, if it can be started now. Notifies the user why it cannot; one of the registry is installed first.
---@param name string
---@param retry? fun() called once the user has consented to install an agent of the registry
---@return acp.Agent|nil
function M.find_startable(name, retry)
  local agent = M.find(name)
  local messages, spec = require('acp.messages'), require('acp.agents.spec')
  local profile = configured_profile(name)
  if not agent and profile then
    local problem = 'the profile "%s" is about the unknown agent "%s"'
    messages.error(problem:format(name, profile.agent))
  elseif not agent then
    messages.error(('unknown agent "%s"; :AcpAgents lists the available ones'):format(name))
  elseif require('acp.agents.registry').needs_install(agent) then
    require('acp.agents.install').request(agent, retry)
  elseif spec.lack(agent) then
    messages.error(spec.problem(agent))
  else
    return agent
  end
end

-- What new sessions start with. What a profile says counts before the project.
---@param agent acp.Agent
---@param project acp.ProjectSettings
---@return { mode?: string, model?: string, options?: table }
local function settings_of(agent, project)
  local names = { 'mode', 'model', 'options' }
  local settings = {}
  for _, source in ipairs({ agent, project, agent.own or {} }) do
    for _, name in ipairs(names) do
      local value = source[name]
      settings[name] = type(value) == 'table'
          and vim.tbl_extend('force', settings[name] or {}, value)
        or value
        or settings[name]
    end
  end
  return settings
end

-- Which of these come from the file of the project, so that a message can name it.
---@param agent acp.Agent
---@param project acp.ProjectSettings
---@return string[] keys such as `mode` and `options.fast`
local function keys_of_project(agent, project)
  local own = agent.own or {}
  local keys = vim.tbl_filter(function(name)
    return project[name] ~= nil and own[name] == nil
  end, { 'mode', 'model' })
  for id in pairs(project.options or {}) do
    if (own.options or {})[id] == nil then
      table.insert(keys, 'options.' .. id)
    end
  end
  return keys
end

--- An agent as the host expects it: with the MCP servers and folders for all agents, and those of the project.
---@param agent acp.Agent
---@param project? acp.ProjectSettings
---@return table
function M.for_host(agent, project)
  local config = require('acp.config').get()
  project = project or {}
  local directories = vim.list_extend(vim.deepcopy(config.directories), project.directories or {})
  return vim.tbl_extend('keep', settings_of(agent, project), {
    -- An empty Lua table would arrive as a list.
    env = next(agent.env) and agent.env or vim.empty_dict(),
    mcp_servers = { config.mcp_servers, agent.mcp_servers or {}, project.mcp_servers or {} },
    directories = vim.list_extend(directories, agent.directories or {}),
    of_project = keys_of_project(agent, project),
  }, agent)
end

--- The other names of the agent that a name stands for: its profiles, and the agent of a profile.
---@param name string
---@return string[]
function M.other_names(name)
  local configured = require('acp.config').get().agents
  local base = (configured[name] or {}).agent or name
  local names = { base }
  for other, options in pairs(configured) do
    if options.agent == base then
      table.insert(names, other)
    end
  end
  return vim.tbl_filter(function(other)
    return other ~= name
  end, names)
end

--- Remembers the agent that was used last, on disk. The tour is never the default.
---@param name string
function M.remember(name)
  if name == 'tour' or name == M.last() then
    return
  end
  local file = last_file()
  pcall(vim.fn.mkdir, vim.fs.dirname(file), 'p', '0700')
  -- Writing to a pipe would wait for a reader.
  vim.uv.fs_unlink(file)
  pcall(vim.fn.writefile, { name }, file)
  vim.uv.fs_chmod(file, tonumber('600', 8))
end

--- The agent that was used last, in this Neovim or an earlier one.
---@return string|nil
function M.last()
  return (require('acp.paths').read(last_file()) or ''):match('[^\r\n]+')
end

--- The agent for a chat without a name.
---@return string
function M.default()
  local configured = require('acp.config').get().agent
  if configured then
    return configured
  end
  local last = M.find(M.last() or '')
  if last and M.is_installed(last) then
    return last.name
  end
  for _, agent in ipairs(M.list()) do
    if M.is_installed(agent) and not agent.registry then
      return agent.name
    end
  end
  return 'tour'
end

return M
