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

-- How to install an agent, if that is a command that can be run here.
---@param agent acp.Agent
---@return string[]|nil
local function install_command(agent)
  if require('acp.agents').is_installed(agent) or agent.registry then
    return nil
  end
  local words = vim.split(agent.install or '', ' ')
  return vim.fn.executable(words[1]) == 1 and words or nil
end

---@param agent acp.Agent
local function open_or_install(agent)
  local command = install_command(agent)
  if not command then
    return M.open(agent.name)
  end
  local old_node = require('acp.agents.node').problem(agent)
  local reason = old_node and (' (but %s)'):format(old_node) or ''
  require('acp.dialogs.run_command').offer({
    question = ('%s is not installed%s. Install it'):format(agent.name, reason),
    command = command,
    done = function()
      M.open(agent.name)
    end,
  })
end

--- Lets the user choose an agent and opens a chat with it.
function M.pick()
  require('acp.dialogs.select').list(require('acp.agents').list(), {
    prompt = 'Agents',
    kind = 'acp.agent',
    format_item = function(agent)
      local old_node = require('acp.agents.node').problem(agent)
      local state = require('acp.agents.registry').state(agent)
      return ('%-12s %s%s'):format(agent.name, state, old_node and ' · ' .. old_node or '')
    end,
  }, function(agent)
    if agent then
      open_or_install(agent)
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
