local M = {}

---@class acp.Agent
---@field name string
---@field command string[]
---@field env table<string, string>
---@field install? string one line that tells how to get it
---@field mcp_servers? table|string MCP servers for this agent, over those for all
---@field directories? string[] folders for this agent, besides those for all

--- The folder of the plugin.
M.root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))))

--- The agents known without configuration, the tour last. The first that is installed is the default, so a program
--- with a name as common as `agent` stands at the end.
local presets = {
  {
    name = 'claude',
    command = { 'claude-agent-acp' },
    install = 'npm install -g @agentclientprotocol/claude-agent-acp',
  },
  {
    name = 'codex',
    command = { 'codex-acp' },
    install = 'npm install -g @agentclientprotocol/codex-acp',
  },
  {
    name = 'gemini',
    command = { 'gemini', '--acp' },
    install = 'npm install -g @google/gemini-cli',
  },
  { name = 'opencode', command = { 'opencode', 'acp' }, install = 'npm install -g opencode-ai' },
  { name = 'qwen', command = { 'qwen', '--acp' }, install = 'npm install -g @qwen-code/qwen-code' },
  {
    name = 'copilot',
    command = { 'copilot', '--acp', '--stdio' },
    install = 'npm install -g @github/copilot',
  },
  { name = 'kimi', command = { 'kimi', 'acp' }, install = 'npm install -g @moonshot-ai/kimi-code' },
  { name = 'kilo', command = { 'kilo', 'acp' }, install = 'npm install -g @kilocode/cli' },
  { name = 'cline', command = { 'cline', '--acp' }, install = 'npm install -g cline' },
  {
    name = 'auggie',
    command = { 'auggie', '--acp' },
    install = 'npm install -g @augmentcode/auggie',
  },
  { name = 'pi', command = { 'pi-acp' }, install = 'npm install -g pi-acp' },
  {
    name = 'goose',
    command = { 'goose', 'acp' },
    install = 'Install goose as its documentation says',
  },
  {
    name = 'vibe',
    command = { 'vibe-acp' },
    install = 'Install Mistral Vibe as its documentation says',
  },
  {
    name = 'cursor',
    command = { 'agent', 'acp' },
    install = 'Install the Cursor CLI as its documentation says',
  },
}

local function tour()
  local node = require('acp.config').get().node
  return { name = 'tour', command = { node, vim.fs.joinpath(M.root, 'dist', 'tour.js') } }
end

--- Every agent that can be chosen, configured ones over the built-in ones.
---@return acp.Agent[]
function M.list()
  local configured = vim.deepcopy(require('acp.config').get().agents)
  local agents = {}
  for _, preset in ipairs(vim.list_extend(vim.deepcopy(presets), { tour() })) do
    local agent = vim.tbl_extend('force', { env = {} }, preset, configured[preset.name] or {})
    configured[preset.name] = nil
    table.insert(agents, agent)
  end
  for _, name in ipairs(vim.fn.sort(vim.tbl_keys(configured))) do
    table.insert(agents, 1, vim.tbl_extend('force', { name = name, env = {} }, configured[name]))
  end
  return agents
end

---@param name string
---@return acp.Agent|nil
function M.find(name)
  for _, agent in ipairs(M.list()) do
    if agent.name == name then
      return agent
    end
  end
end

---@param agent acp.Agent
function M.is_installed(agent)
  return type(agent.command) == 'table' and vim.fn.executable(agent.command[1] or '') == 1
end

--- The agent for a chat nobody named one for.
---@return string
function M.default()
  local configured = require('acp.config').get().agent
  if configured then
    return configured
  end
  for _, agent in ipairs(M.list()) do
    if M.is_installed(agent) then
      return agent.name
    end
  end
  return 'tour'
end

return M
