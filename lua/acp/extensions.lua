--- Methods beyond the protocol: what the user's Lua answers, hears, asks and tells.
local M = {}

---@class acp.ExtensionContext
---@field chat? integer the chat it is about
---@field agent string name of the agent
---@field session? string the agent's name for the session
---@field cancelled boolean the agent does not wait for the answer any more

---@class acp.ExtensionError
---@field message string
---@field code? integer JSON-RPC code, when the agent answered with an error
---@field data? any

---@alias acp.Respond fun(result: any, error?: string)
---@alias acp.RequestHandler fun(params: any, context: acp.ExtensionContext, respond: acp.Respond): any, string?

---@class acp.RequestOptions
---@field async? boolean the handler answers with `respond`, now or later, and not by returning
---@field timeout? integer milliseconds until the agent is told that there was no answer, 30000 if unset

local default_timeout = 30000

--- Every method of the protocol, also of versions to come: none of them is for others to answer.
M.protocol = {
  'auth/login',
  'auth/logout',
  'auth/status',
  'auth/status_update',
  'authenticate',
  'elicitation/complete',
  'elicitation/create',
  'fs/read_text_file',
  'fs/write_text_file',
  'initialize',
  'logout',
  'mcp/message',
  'providers/disable',
  'providers/list',
  'providers/set',
  'proxy/initialize',
  'proxy/successor',
  'session/archive',
  'session/cancel',
  'session/close',
  'session/delete',
  'session/fork',
  'session/list',
  'session/load',
  'session/new',
  'session/prompt',
  'session/request_permission',
  'session/resume',
  'session/set_config_option',
  'session/set_mode',
  'session/set_model',
  'session/set_title',
  'session/status',
  'session/unarchive',
  'session/update',
  'terminal/cancel',
  'terminal/create',
  'terminal/kill',
  'terminal/output',
  'terminal/release',
  'terminal/wait_for_exit',
  'tool_call/cancel',
}

---@type table<string, { run: acp.RequestHandler, async: boolean, timeout: integer }>
local requests = {}
---@type table<string, fun(params: any, context: acp.ExtensionContext)>
local notifications = {}
---@type table<integer, acp.ExtensionContext> requests of agents that are not answered yet
local serving = {}
---@type table<integer, fun(result: any, error?: acp.ExtensionError)> requests of ours, likewise
local asking = {}
local last_id = 0

local function host()
  return require('acp.host')
end

local function tell_names()
  local timeouts = {}
  for method, handler in pairs(requests) do
    timeouts[method] = handler.timeout
  end
  host().notify('extension.names', {
    requests = next(timeouts) and timeouts or vim.empty_dict(),
    notifications = vim.tbl_keys(notifications),
  })
end

local function complain(message, ...)
  error('acp: ' .. message:format(...), 5)
end

local function check(method, handler)
  if type(method) ~= 'string' or method == '' then
    complain('a method is a name such as "_vendor/method", not %s', vim.inspect(method))
  end
  if handler ~= nil and not vim.is_callable(handler) then
    complain('the handler of "%s" must be a function, not %s', method, vim.inspect(handler))
  end
  local is_ours = vim.startswith(method, '$/') or vim.startswith(method, '_acp.nvim/')
  if is_ours or vim.list_contains(M.protocol, method) then
    complain('"%s" is part of the protocol and answered by the plugin; choose another name', method)
  end
end

local function update()
  if host().is_running() then
    tell_names()
  end
end

function M.on_request(method, handler, options)
  check(method, handler)
  options = options or {}
  if options.timeout ~= nil and type(options.timeout) ~= 'number' then
    error(('acp: timeout is %s; expected a number'):format(vim.inspect(options.timeout)), 3)
  end
  requests[method] = handler
    and {
      run = handler,
      async = options.async == true,
      timeout = options.timeout or default_timeout,
    }
  update()
end

function M.on_notification(method, handler)
  check(method, handler)
  notifications[method] = handler
  update()
end

-- The place in the user's Lua is for the user, not for the agent.
local function reason(failure)
  local text = type(failure) == 'table' and failure.message or failure
  return (tostring(text):gsub('^[^\n]-:%d+: ', ''))
end

local function report(method, failure)
  local message = ('the handler of "%s" failed: %s'):format(method, tostring(failure))
  require('acp.notice').say(message, vim.log.levels.ERROR)
end

--- Answers a request once; a second answer, or one that nobody waits for, is thrown away.
local function answer(id, result, failure)
  if not serving[id] then
    return
  end
  serving[id] = nil
  local is_error = failure ~= nil
  local reply = { id = id, result = result, error = is_error and reason(failure) or nil }
  if not host().notify('extension.answer', reply) then
    -- Functions, and tables that hold themselves, can't leave Neovim.
    local message = 'the result of the handler is no JSON'
    host().notify('extension.answer', { id = id, error = message })
  end
end

--- An agent asks.
---@param payload { id: integer, method: string, params: any, context: acp.ExtensionContext }
function M.serve(payload)
  local id, context = payload.id, payload.context
  context.cancelled = false
  serving[id] = context
  -- A handler may wait for a key; the host must not wait with it.
  vim.schedule(function()
    local handler = requests[payload.method]
    if context.cancelled then
      return
    end
    if not handler then
      return answer(id, nil, 'nobody answers this any more')
    end
    local function respond(result, failure)
      vim.schedule(function()
        answer(id, result, failure)
      end)
    end
    local ok, result, failure = pcall(handler.run, payload.params, context, respond)
    if not ok then
      report(payload.method, result)
      return answer(id, nil, result or 'error')
    end
    if not handler.async then
      answer(id, result, failure)
    end
  end)
end

--- The agent or the host does not wait for an answer any more.
---@param id integer
function M.forget(id)
  if serving[id] then
    serving[id].cancelled = true
    serving[id] = nil
  end
end

--- An agent tells something.
---@param payload { method: string, params: any, context: acp.ExtensionContext }
function M.hear(payload)
  vim.schedule(function()
    local run = notifications[payload.method]
    local ok, failure = pcall(run or function() end, payload.params, payload.context)
    if not ok then
      report(payload.method, failure)
    end
  end)
end

local function check_outgoing(method)
  if type(method) ~= 'string' or not vim.startswith(method, '_') then
    complain('a method beyond the protocol begins with "_", not %s', vim.inspect(method))
  end
end

local function send(payload)
  local chat = require('acp.chats').current()
  if not chat then
    return 'there is no chat yet; :AcpChat opens one'
  end
  payload.chat = chat.id
  if vim.is_callable(payload.params) then
    payload.params = payload.params(chat.context or { chat = chat.id, agent = chat.agent })
  end
  if not host().notify('extension.send', payload) then
    return 'the host did not take it; is there a function in the params?'
  end
end

function M.request(method, params, callback)
  check_outgoing(method)
  last_id = last_id + 1
  local id = last_id
  asking[id] = callback or function() end
  local failure = send({ id = id, method = method, params = params or vim.empty_dict() })
  if failure then
    M.answered({ id = id, error = { message = failure } })
  end
end

function M.notify(method, params)
  check_outgoing(method)
  local failure = send({ method = method, params = params or vim.empty_dict() })
  if failure then
    require('acp.notice').say(('%s was not sent: %s'):format(method, failure), vim.log.levels.WARN)
  end
end

--- The agent has answered, or never will.
---@param payload { id: integer, result: any, error?: acp.ExtensionError }
function M.answered(payload)
  local callback = asking[payload.id]
  asking[payload.id] = nil
  if callback then
    vim.schedule(function()
      callback(payload.result, payload.error)
    end)
  end
end

--- There is a new host: it has to know the names, and what the last one was about will not be answered.
function M.connect()
  for id in pairs(serving) do
    M.forget(id)
  end
  for id in pairs(asking) do
    M.answered({ id = id, error = { message = 'the host was started again' } })
  end
  if next(requests) or next(notifications) then
    tell_names()
  end
end

return M
