--- The configuration of an agent: its fields, their validation, and its defaults.
local M = {}

local transports = { 'stdio', 'websocket', 'http', 'post' }
local by_scheme = { ws = 'websocket', wss = 'websocket', http = 'http', https = 'http' }

local function is_text(value)
  return type(value) == 'string' and value ~= ''
end

local function is_boolean(value)
  return type(value) == 'boolean'
end

local function is_list(value)
  return vim.islist(value) and #vim.tbl_filter(is_text, value) == #value
end

local function is_map(value)
  if type(value) ~= 'table' then
    return false
  end
  for key, item in pairs(value) do
    if type(key) ~= 'string' or not vim.list_contains({ 'string', 'number' }, type(item)) then
      return false
    end
  end
  return true
end

---@param path any
local function is_absolute(path)
  return type(path) == 'string' and (path:match('^/') or path:match('^%a:[/\\]')) ~= nil
end

---@param url string
local function scheme_of(url)
  return (url:match('^(%w+)://[^/]') or ''):lower()
end

local function is_path_map(value)
  if not is_map(value) then
    return false
  end
  for remote, here in pairs(value) do
    if not (is_absolute(remote) and is_absolute(here)) then
      return false
    end
  end
  return true
end

local function is_option_map(value)
  if type(value) ~= 'table' then
    return false
  end
  for key, item in pairs(value) do
    if type(key) ~= 'string' or not vim.list_contains({ 'string', 'boolean' }, type(item)) then
      return false
    end
  end
  return true
end

-- Every field: the check of its value, what is expected, and whether a wrong value may be shown (it may be a secret).
---@type table<string, { [1]: (fun(value: any): boolean), [2]: string, is_public?: boolean }>
local fields = {
  command = {
    function(value)
      return is_text(value) or (type(value) == 'table' and #value > 0 and is_list(value))
    end,
    'a list of words such as { "program", "arg" }',
  },
  args = { is_list, 'a list of words' },
  env = { is_map, 'a table of strings such as { NAME = "value" }' },
  install = { is_text, 'a string' },
  url = {
    function(value)
      return is_text(value) and by_scheme[scheme_of(value)] ~= nil
    end,
    'a string that begins with ws://, wss://, http:// or https://',
  },
  transport = {
    function(value)
      return vim.list_contains(transports, value)
    end,
    'one of "stdio", "websocket", "http", "post"',
    is_public = true,
  },
  headers = { is_map, 'a table of strings such as { Authorization = "Bearer …" }' },
  framing = {
    function(value)
      return value == 'content-length'
    end,
    '"content-length" or nothing',
    is_public = true,
  },
  login = { is_text, 'a string' },
  notes = { is_text, 'a string' },
  mcp_servers = {
    function(value)
      return type(value) == 'table' or is_text(value)
    end,
    'a table or a file',
  },
  directories = { is_list, 'a list of folders' },
  mode = { is_text, 'the name of a mode', is_public = true },
  model = { is_text, 'the name of a model', is_public = true },
  options = {
    is_option_map,
    'a table of strings and booleans such as { effort = "high" }',
  },
  agent = { is_text, 'the name of an agent', is_public = true },
  private = { is_boolean, 'true or false', is_public = true },
  worktree = { is_boolean, 'true or false', is_public = true },
  paths = { is_path_map, 'a table of folders such as { ["/there"] = "/here" }' },
}

--- The valid part of the configured agents, and what is wrong with the rest.
---@param agents table<string, any>
---@return table<string, table> agents, string[] complaints
function M.clean(agents)
  local good, complaints = {}, {}
  for name, options in pairs(agents) do
    if type(options) ~= 'table' then
      local complaint = 'agents.%s is a %s; expected a table such as { command = { "program" } }'
      table.insert(complaints, complaint:format(name, type(options)))
    else
      good[name] = {}
      for key, value in pairs(options) do
        local complaint = M.complaint(('agents.%s.%s'):format(name, key), key, value)
        if complaint then
          table.insert(complaints, complaint)
        else
          good[name][key] = value
        end
      end
      if good[name].agent and (options.command or options.url) then
        local complaint = 'agents.%s has the agent "%s", so its command and url have no effect'
        table.insert(complaints, complaint:format(name, good[name].agent))
        good[name].command, good[name].url = nil, nil
      end
    end
  end
  return good, complaints
end

---@return string|nil
function M.complaint(path, key, value)
  local field = fields[key]
  if not field then
    return ('unknown option "%s"; see :help acp-agents'):format(path)
  end
  if not field[1](value) then
    local found = field.is_public and vim.inspect(value) or 'a ' .. type(value)
    return ('%s is %s; expected %s'):format(path, found, field[2])
  end
end

---@param command string|string[]|nil
---@param args string[]|nil
local function words(command, args)
  if type(command) == 'string' then
    local is_program = args or vim.fn.executable(command) == 1
    command = is_program and { command } or vim.split(vim.trim(command), '%s+')
  end
  return vim.list_extend(vim.deepcopy(command or {}), args or {})
end

--- A complete agent: the built-in one of that name, if any, with the configured options over it.
---@param preset table
---@param options table
---@return acp.Agent
function M.complete(preset, options)
  local agent = vim.tbl_extend('force', { env = {} }, preset, options)
  agent.transport = options.transport or by_scheme[scheme_of(options.url or '')] or 'stdio'
  if agent.transport == 'stdio' then
    agent.url = nil
    agent.command = words(agent.command, agent.args)
  else
    agent.command, agent.install = {}, nil
  end
  agent.args = nil
  return agent
end

--- A profile: another agent with the fields of the profile over it.
---@param base acp.Agent
---@param name string
---@param options table
---@return acp.Agent
function M.profile(base, name, options)
  local profile = vim.tbl_extend('force', base, options, { name = name, own = options })
  profile.env = vim.tbl_extend('force', base.env or {}, options.env or {})
  profile.options = (base.options or options.options)
    and vim.tbl_extend('force', base.options or {}, options.options or {})
  return profile
end

--- Whether it is a program that the host starts.
---@param agent acp.Agent
function M.is_program(agent)
  return (agent.transport or 'stdio') == 'stdio'
end

--- Why an agent cannot be started or reached, and what to do about it.
---@param agent acp.Agent
---@return string|nil problem, string|nil advice
function M.lack(agent)
  local name = agent.name
  if M.is_program(agent) then
    if agent.command and #agent.command > 0 then
      return nil
    end
    local advice = 'Set agents.%s.command to a list such as { "program", "arg" }, or agents.%s.url.'
    return name .. ' has no command', advice:format(name, name)
  end
  if not agent.url then
    local advice = 'Set agents.%s.url to an address such as "wss://host/acp".'
    return name .. ' has no url', advice:format(name)
  end
  if agent.transport ~= 'websocket' and by_scheme[scheme_of(agent.url)] == 'websocket' then
    local problem = '%s has a url for a WebSocket, but its transport is "%s"'
    return problem:format(name, agent.transport), ('Correct agents.%s.transport.'):format(name)
  end
end

--- Whether nobody else in a network can read what goes to a URL.
---@param url string
---@return boolean
function M.is_encrypted(url)
  local authority = url:match('^%w+://([^/?#]*)') or ''
  local host = authority:gsub('^.*@', ''):gsub(':%d+$', '')
  local is_here = vim.list_contains({ 'localhost', '127.0.0.1', '[::1]' }, host)
  return is_here or vim.list_contains({ 'wss', 'https' }, scheme_of(url))
end

--- The same as `lack` in one text.
---@param agent acp.Agent
---@return string|nil
function M.problem(agent)
  local lack, advice = M.lack(agent)
  return lack and ('%s. %s'):format(lack, advice)
end

return M
