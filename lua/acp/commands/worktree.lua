--- Sessions in a worktree of their own: `:AcpNew!` and `:AcpWorktree`.
local M = {}

local lifecycle = require('acp.lifecycle')
local count = 0

--- Whether new sessions of an agent begin in a worktree.
---@param name? string
---@return boolean
function M.is_wanted(name)
  local config = require('acp.config').get()
  if config.worktree then
    return true
  end
  local project = require('acp.agents.project').read(require('acp.root').folder())
  local agent = config.agents[name or lifecycle.default_agent()]
  return project.worktree == true or (agent ~= nil and agent.worktree == true)
end

--- Has the host make a worktree, and then a chat in it.
---@param name? string the agent
function M.create(name)
  name = name or lifecycle.default_agent()
  local agent = require('acp.agents').find_startable(name, function()
    M.create(name)
  end)
  if not agent then
    return
  end
  count = count + 1
  require('acp.host').notify('worktree.create', {
    agent = name,
    cwd = require('acp.root').folder(),
    folder = require('acp.paths').worktrees(),
    name = ('%s-%d-%d'):format(os.date('%Y%m%d-%H%M%S'), vim.fn.getpid(), count),
  })
end

--- Shows what the worktree of a chat has, and lets the user merge or remove it.
---@param chat acp.Chat
function M.show(chat)
  lifecycle.prepare(chat)
  local payload = { chat = chat.id, folder = require('acp.paths').worktrees() }
  require('acp.host').notify('worktree.show', payload)
end

return M
