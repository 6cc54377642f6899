--- Has the host install agents of the registry.
local M = {}

---@type table<string, fun()> by agent: what to do once it is installed
local waiting = {}

--- Has the host ask the user for consent and install an agent.
---@param agent acp.Agent
---@param retry? fun() called once it can be started
function M.request(agent, retry)
  waiting[agent.name] = retry
  local payload = require('acp.agents.registry').for_host()
  payload.agent = agent.name
  require('acp.host').notify('agents.install', payload)
end

--- The host has installed an agent.
---@param name string
---@param open fun(name: string) opens a chat, if nothing else waits for the agent
function M.installed(name, open)
  local retry = waiting[name]
  waiting[name] = nil
  local agent = require('acp.agents').find(name)
  if not agent or require('acp.agents.registry').needs_install(agent) then
    local message = '%s is installed, but its program was not found; see :checkhealth acp'
    require('acp.messages').error(message:format(name))
  elseif retry then
    retry()
  else
    open(name)
  end
end

return M
