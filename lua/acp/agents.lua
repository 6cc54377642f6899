local M = {}

---@class acp.Agent
---@field name string
---@field command string[] empty when it is reached at a url
---@field transport 'stdio'|'websocket'|'http'|'post'
---@field url? string where it is, if it is no program of this machine
---@field headers? table<string, string>
---@field framing? 'content-length'
---@field paths? table<string, string> folders where it runs, each with its name here
---@field env table<string, string>
---@field install? string one line that tells how to get it
---@field login? string one line that tells how to log in
---@field notes? string
---@field registry? { version: string, is_allowed: boolean, problem?: string } what the registry says
---@field mcp_servers? table|string MCP servers for this agent, over those for all
---@field directories? string[] folders for this agent, besides those for all

--- The folder of the plugin.
M.root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))))

local function tour()
  local node = require('acp.config').get().node
  return {
    name = 'tour',
    command = { node, vim.fs.joinpath(M.root, 'dist', 'tour.js') },
    notes = 'Needs no key and no network.',
  }
end

--- A preset with what the user configured over it.
local function configure(preset, configured)
  local is_older = preset.older
    and not configured.command
    and vim.fn.executable(preset.command[1]) == 0
    and vim.fn.executable(preset.older[1]) == 1
  preset.command = is_older and preset.older or preset.command
  preset.older = nil
  return require('acp.agent_spec').complete(preset, configured)
end

local function last_file()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'acp', 'last-agent')
end

local function named(agents, name)
  for _, agent in ipairs(agents) do
    if agent.name == name then
      return agent
    end
  end
end

-- One that is known without a look at all the others, which takes a while.
local function known(name)
  local configured = vim.deepcopy(require('acp.config').get().agents[name])
  local preset = name == 'tour' and tour() or vim.deepcopy(named(require('acp.presets'), name))
  if preset or configured then
    return configure(preset or { name = name }, configured or {})
  end
end

--- Every agent that can be chosen, configured ones over the built-in ones.
---@return acp.Agent[]
function M.list()
  local configured = vim.deepcopy(require('acp.config').get().agents)
  local agents = {}
  local presets = vim.deepcopy(require('acp.presets'))
  for _, preset in ipairs(vim.list_extend(presets, { tour() })) do
    table.insert(agents, configure(preset, configured[preset.name] or {}))
    configured[preset.name] = nil
  end
  for _, name in ipairs(vim.fn.sort(vim.tbl_keys(configured))) do
    table.insert(agents, 1, configure({ name = name }, configured[name]))
  end
  return require('acp.registry').add_to(agents)
end

---@param name string
---@return acp.Agent|nil
function M.find(name)
  local agent = known(name)
  return named(agent and require('acp.registry').add_to({ agent }) or M.list(), name)
end

--- Whether an agent can be tried: its program is there, or it is elsewhere, where nobody can look.
---@param agent acp.Agent
function M.is_installed(agent)
  if
    require('acp.agent_spec').lack(agent) or (agent.registry and not agent.registry.is_allowed)
  then
    return false
  end
  return not require('acp.agent_spec').is_program(agent) or vim.fn.executable(agent.command[1]) == 1
end

--- Keeps in mind which agent was used, also after Neovim was left. The tour is for a look, not for work.
---@param name string
function M.remember(name)
  if name == 'tour' or name == M.last() then
    return
  end
  local file = last_file()
  pcall(vim.fn.mkdir, vim.fs.dirname(file), 'p', '0700')
  pcall(vim.fn.writefile, { name }, file)
  vim.uv.fs_chmod(file, tonumber('600', 8))
end

--- The agent that was used last, here or in an earlier Neovim.
---@return string|nil
function M.last()
  local file = last_file()
  return vim.fn.filereadable(file) == 1 and vim.fn.readfile(file, '', 1)[1] or nil
end

--- The agent for a chat nobody named one for.
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
