--- The agents of a registry, as the host has written them down. install.lua installs them.
local M = {}

local max_bytes = 16 * 1024 * 1024

---@return string|nil
function M.source()
  local name = require('acp.config').get().registry
  if not name or name:match('^https?://') then
    return name
  end
  return vim.fn.fnamemodify(vim.fs.normalize(name), ':p')
end

--- What the host has to know to read the registry and to install agents.
---@return { source?: string, cache: string, state: string }
function M.for_host()
  local paths = require('acp.paths')
  return { source = M.source(), cache = paths.cache(), state = paths.state() }
end

--- What the host wrote down of the registry that is configured.
local function entries()
  local file = require('acp.paths').cache('registry', 'agents.json')
  local content = M.source() and require('acp.paths').read(file, max_bytes)
  if not content then
    return {}
  end
  local ok, list = pcall(vim.json.decode, content)
  return ok and type(list) == 'table' and list.source == M.source() and list.agents or {}
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

--- Whether both are the same program: the install command ends with the name of the package.
local function is_same(agent, entry)
  local package = entry.package and entry.package:gsub('(.)@[^@/]*$', '%1')
  return agent.name == entry.name
    or (package and vim.endswith(agent.install or '', ' ' .. package)) == true
end

--- Adds the agents of the registry to a list. Installed and configured agents take precedence.
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
      if is_same(other, entry) and entry.package then
        agent.node = agent.node or other.node
      end
      if is_same(other, entry) and installed(other) then
        agent = vim.tbl_extend('force', other, { name = entry.name })
      end
    end
    if not index then
      table.insert(agents, agent)
    elseif not is_set(entry.name) then
      local env = vim.tbl_extend('force', agent.env, agents[index].env)
      agents[index].node = nil
      agents[index] = vim.tbl_extend('force', agents[index], agent, { env = env })
    end
  end
  return agents
end

--- Whether the user must consent, or something be downloaded, before an agent can be started.
---@param agent acp.Agent
---@return boolean
function M.needs_install(agent)
  return agent.registry ~= nil and not require('acp.agents').is_installed(agent)
end

--- What the list of agents shows beside the name.
---@param agent acp.Agent
---@return string
function M.state(agent)
  local registry = agent.registry
  if registry and registry.problem then
    return ('from the registry, %s: %s'):format(registry.version, registry.problem)
  elseif registry then
    local how = require('acp.agents').is_installed(agent) and 'ready' or 'asks before installing'
    return ('from the registry, %s, %s'):format(registry.version, how)
  elseif require('acp.agents').is_installed(agent) then
    return 'installed'
  end
  return 'not installed' .. (agent.install and ': ' .. agent.install or '')
end

return M
