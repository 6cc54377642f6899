--- Extension methods: requests and notifications beyond the protocol, handled and sent by the user's Lua.
local M = {}

---@class acp.ExtensionContext
---@field chat? integer the chat it is about
---@field agent string name of the agent
---@field session? string the session id
---@field cancelled boolean the agent no longer waits for the answer

---@class acp.ExtensionError
---@field message string
---@field code? integer JSON-RPC code, when the agent answered with an error
---@field data? any

---@alias acp.Respond fun(result: any, error?: string)
---@alias acp.RequestHandler fun(params: any, context: acp.ExtensionContext, respond: acp.Respond): any, string?

---@class acp.RequestOptions
---@field async? boolean the handler answers by calling `respond`, now or later, instead of returning
---@field timeout? integer milliseconds until the agent gets an error instead, 30000 if unset

local default_timeout = 30000

--- Every method of the protocol, also of proposed versions. Users cannot handle these.
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
---@type table<integer, acp.ExtensionContext> unanswered requests of agents
local incoming = {}
---@type table<integer, fun(result: any, error?: acp.ExtensionError)> unanswered requests of ours
local outgoing = {}
local last_id = 0

local function host()
  return require('acp.host')
end

local function send_names()
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
    send_names()
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

-- The position in the user's Lua is not for the agent.
local function reason(failure)
  local text = type(failure) == 'table' and failure.message or failure
  return (tostring(text):gsub('^[^\n]-:%d+: ', ''))
end

local function report(method, failure)
  local message = ('the handler of "%s" failed: %s'):format(method, tostring(failure))
  require('acp.messages').error(message)
end

-- Answers a request once; a second answer, or one after a cancellation, is ignored.
local function answer(id, result, failure)
  if not incoming[id] then
    return
  end
  incoming[id] = nil
  local is_error = failure ~= nil
  local reply = { id = id, result = result, error = is_error and reason(failure) or nil }
  if not host().notify_if_running('extension.answer', reply) then
    -- Functions and recursive tables cannot be sent.
    local message = 'the result of the handler cannot be encoded as JSON'
    host().notify_if_running('extension.answer', { id = id, error = message })
  end
end

--- An agent has sent a request.
---@param payload { id: integer, method: string, params: any, context: acp.ExtensionContext }
function M.receive_request(payload)
  local id, context = payload.id, payload.context
  context.cancelled = false
  incoming[id] = context
  -- A handler may wait for a key; the host must not wait with it.
  vim.schedule(function()
    local handler = requests[payload.method]
    if context.cancelled then
      return
    end
    if not handler then
      return answer(id, nil, 'the handler of this method was removed')
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

--- The agent or the host no longer waits for an answer.
---@param id integer
function M.cancel(id)
  if incoming[id] then
    incoming[id].cancelled = true
    incoming[id] = nil
  end
end

--- An agent has sent a notification.
---@param payload { method: string, params: any, context: acp.ExtensionContext }
function M.receive_notification(payload)
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
    return 'the params cannot be encoded as JSON'
  end
end

function M.request(method, params, callback)
  check_outgoing(method)
  last_id = last_id + 1
  local id = last_id
  outgoing[id] = callback or function() end
  local failure = send({ id = id, method = method, params = params or vim.empty_dict() })
  if failure then
    M.receive_answer({ id = id, error = { message = failure } })
  end
end

function M.notify(method, params)
  check_outgoing(method)
  local failure = send({ method = method, params = params or vim.empty_dict() })
  if failure then
    require('acp.messages').warn(('%s was not sent: %s'):format(method, failure))
  end
end

--- The agent has answered, or never will.
---@param payload { id: integer, result: any, error?: acp.ExtensionError }
function M.receive_answer(payload)
  local callback = outgoing[payload.id]
  outgoing[payload.id] = nil
  if callback then
    vim.schedule(function()
      callback(payload.result, payload.error)
    end)
  end
end

-- A new host has no names, and requests of the last one will not be answered.
require('acp.host').on('start', function()
  for id in pairs(incoming) do
    M.cancel(id)
  end
  for id in pairs(outgoing) do
    M.receive_answer({ id = id, error = { message = 'the host was restarted' } })
  end
  if next(requests) or next(notifications) then
    send_names()
  end
end)

return M
