--- The agents of a registry: the host reads it when the user asks for it, and writes down what Lua has to know.
local M = {}

---@type table<string, fun()> what to do once the user has agreed to an agent
local waiting = {}

local function cache()
  return vim.fs.joinpath(vim.fn.stdpath('cache'), 'acp')
end

---@return string|nil
local function source()
  local name = require('acp.config').get().registry
  if not name or name:match('^https?://') then
    return name
  end
  return vim.fn.fnamemodify(vim.fs.normalize(name), ':p')
end

local function places()
  local state = vim.fs.joinpath(vim.fn.stdpath('state'), 'acp')
  return { source = source(), cache = cache(), state = state }
end

--- What the host wrote down of the registry that is configured.
local function entries()
  local file = vim.fs.joinpath(cache(), 'registry', 'agents.json')
  if not source() or vim.fn.filereadable(file) == 0 then
    return {}
  end
  local ok, list = pcall(vim.json.decode, table.concat(vim.fn.readfile(file), '\n'))
  return ok and type(list) == 'table' and list.source == source() and list.agents or {}
end

---@return acp.Agent
local function agent_from(entry)
  return {
    name = entry.name,
    command = entry.command or {},
    env = entry.env or {},
    registry = {
      version = entry.version,
      is_allowed = entry.is_allowed or false,
      problem = entry.problem,
    },
  }
end

--- Whether both are the same program: the name of the package stands at the end of the line that installs it.
local function is_same(agent, entry)
  local package = entry.package and entry.package:gsub('(.)@[^@/]*$', '%1')
  return agent.name == entry.name
    or (package and vim.endswith(agent.install or '', ' ' .. package)) == true
end

--- Adds the agents of the registry to those known without it. What is installed, or configured, is used as it is.
---@param agents acp.Agent[]
---@return acp.Agent[]
function M.add_to(agents)
  local installed = require('acp.agents').is_installed
  local configured = require('acp.config').get().agents
  local function is_set(name)
    local options = configured[name] or {}
    return options.command ~= nil or options.url ~= nil
  end
  local known = vim.list_slice(agents)
  for _, entry in ipairs(entries()) do
    local agent, index = agent_from(entry), nil
    for position, other in ipairs(known) do
      if other.name == entry.name then
        index = position
      end
      if is_same(other, entry) and installed(other) then
        agent = vim.tbl_extend('force', other, { name = entry.name })
      end
    end
    if not index then
      table.insert(agents, agent)
    elseif not is_set(entry.name) then
      local env = vim.tbl_extend('force', agent.env, agents[index].env)
      agents[index] = vim.tbl_extend('force', agents[index], agent, { env = env })
    end
  end
  return agents
end

--- Whether the user must agree, or something be downloaded, before an agent can be started.
---@param agent acp.Agent
---@return boolean
function M.must_ask(agent)
  return agent.registry ~= nil and not require('acp.agents').is_installed(agent)
end

--- Asks the host for an agent; `retry` is called when it can be started.
---@param agent acp.Agent
---@param retry? fun()
function M.take(agent, retry)
  waiting[agent.name] = retry
  local payload = vim.tbl_extend('error', places(), { agent = agent.name })
  require('acp.host').notify('agents.take', payload)
end

--- The host has made an agent ready.
---@param name string
function M.open(name)
  local retry = waiting[name]
  waiting[name] = nil
  local agent = require('acp.agents').find(name)
  if not agent or M.must_ask(agent) then
    local message = '%s is here, but its program can not be found; see :checkhealth acp'
    require('acp.notice').say(message:format(name), vim.log.levels.ERROR)
  elseif retry then
    retry()
  else
    require('acp.commands').run('chat', { args = name, bang = false })
  end
end

--- Shows all agents, after the registry was read if there is one.
function M.show()
  if not source() then
    return M.pick()
  end
  require('acp.picker').loading('reading the registry …')
  require('acp.host').notify('agents.show', places())
end

--- What one has to know of an agent before taking it.
---@param agent acp.Agent
---@return string
function M.state(agent)
  local registry = agent.registry
  if registry and registry.problem then
    return ('from the registry, %s: %s'):format(registry.version, registry.problem)
  elseif registry then
    local how = require('acp.agents').is_installed(agent) and 'ready' or 'asks before it is fetched'
    return ('from the registry, %s, %s'):format(registry.version, how)
  elseif require('acp.agents').is_installed(agent) then
    return 'installed'
  end
  return 'not installed' .. (agent.install and ': ' .. agent.install or '')
end

--- Lets the user choose an agent and opens a chat with it.
function M.pick()
  vim.ui.select(require('acp.agents').list(), {
    prompt = 'Agents',
    kind = 'acp.agent',
    format_item = function(agent)
      return ('%-12s %s'):format(agent.name, M.state(agent))
    end,
  }, function(agent)
    if agent then
      require('acp.commands').run('chat', { args = agent.name, bang = false })
    end
  end)
end

return M
