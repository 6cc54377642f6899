--- The Node that agents run on. Those of npm may need a newer one than the host.
local M = {}

local deadline = 2000
---@type table<string, string> by path of the program
local versions = {}

---@param agent acp.Agent
---@return string|nil
local function path_of_node(agent)
  local folders = (agent.env or {}).PATH
  for folder in vim.gsplit(folders or '', ':', { trimempty = true }) do
    local path = vim.fs.joinpath(folder, 'node')
    if vim.fn.executable(path) == 1 then
      return path
    end
  end
  local path = not folders and vim.fn.exepath('node') or ''
  return path ~= '' and path or nil
end

---@param path string
---@return string|nil
local function version_of(path)
  if not versions[path] then
    local ok, run = pcall(vim.system, { path, '--version' }, { text = true })
    versions[path] = ok and (run:wait(deadline).stdout or ''):match('v(%d+%.%d+%.%d+)') or nil
  end
  return versions[path]
end

-- A version with all three numbers.
local function whole(version)
  local numbers = vim.split(version, '.', { plain = true })
  return ('%s.%s.%s'):format(numbers[1], numbers[2] or 0, numbers[3] or 0)
end

--- Why the current releases of an agent can't run on the Node that it would use, and what to do about it.
---@param agent acp.Agent
---@return string|nil problem, string|nil advice
function M.problem(agent)
  if not agent.node then
    return nil
  end
  local path = path_of_node(agent)
  local version = path and version_of(path)
  if path and not (version and vim.version.lt(version, whole(agent.node))) then
    return nil
  end
  local found = path and ('%s is %s'):format(path, version) or 'there is no node on PATH'
  local problem = 'the current releases of %s need Node %s or newer, and %s'
  local advice =
    'npm on an older Node installs an old release without a word. Install Node %s or newer%s.'
  local install = agent.install and (', then run "%s" with it'):format(agent.install) or ''
  return problem:format(agent.name, agent.node, found), advice:format(agent.node, install)
end

return M
