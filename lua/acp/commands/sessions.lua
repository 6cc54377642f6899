--- `:AcpSessions`
local M = {}

--- Lets the user choose a session: of those the agent lists, and of the journals kept here.
---@param name string the agent
---@param action 'open'|'close'|'delete'
---@param is_all boolean those of all folders
function M.browse(name, action, is_all)
  local agents = require('acp.agents')
  local agent = agents.find_startable(name, function()
    M.browse(name, action, is_all)
  end)
  if not agent then
    return
  end
  require('acp.dialogs.picker').loading(('asking %s for its sessions …'):format(name))
  require('acp.host').notify('sessions.show', {
    agent = agents.for_host(agent),
    cwd = vim.fn.getcwd(),
    folder = require('acp.paths').state(),
    action = action,
    all = is_all,
  })
end

return M
