--- `:AcpAgents`
local M = {}

--- Opens a chat with an agent.
---@param name string
function M.open(name)
  local chat = require('acp.lifecycle').ensure(name, function()
    M.open(name)
  end)
  if chat then
    require('acp.lifecycle').show(chat)
  end
end

--- Lets the user choose an agent and opens a chat with it.
function M.pick()
  vim.ui.select(require('acp.agents').list(), {
    prompt = 'Agents',
    kind = 'acp.agent',
    format_item = function(agent)
      return ('%-12s %s'):format(agent.name, require('acp.agents.registry').state(agent))
    end,
  }, function(agent)
    if agent then
      M.open(agent.name)
    end
  end)
end

--- Lets the user choose an agent, after the registry was read if there is one.
function M.run()
  local registry = require('acp.agents.registry')
  if not registry.source() then
    return M.pick()
  end
  require('acp.dialogs.picker').loading('reading the registry …')
  require('acp.host').notify('agents.show', registry.for_host())
end

return M
