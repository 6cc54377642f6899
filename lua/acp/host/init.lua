--- The link to the host: starts the Node process when it is first needed, and again when it exits.
local M = {}

local max_restarts, restart_window = 3, 60
local stderr_lines = 20

---@type integer|nil
local channel
---@type number[] times of restarts, in seconds
local restarts = {}
---@type string[]
local stderr = {}
---@type boolean it kept exiting, and is started again only on a request of the user
local is_down = false
local is_using_shared = false
-- The exit code of rplugin/node/acp.js when Node is too old.
local too_old_code = 64
---@type string|nil why the host could not be started
local start_problem

---@type table<string, function[]>
local listeners = { start = {}, exit = {}, ['return'] = {}, unbuilt = {}, send = {} }

--- Calls a function when a host was started, when it exits on its own (with the reason and whether to start it again),
--- when it returns after it was given up, when the plugin is not built, or before an operation of the user is sent.
---@param event 'start'|'exit'|'return'|'unbuilt'|'send'
---@param listener function
function M.on(event, listener)
  table.insert(listeners[event], listener)
end

local function emit(event, ...)
  for _, listener in ipairs(listeners[event]) do
    listener(...)
  end
end

local function entry()
  return vim.fs.joinpath(require('acp.paths').root, 'rplugin', 'node', 'acp.js')
end

local function complain(message)
  start_problem = message
  require('acp.messages').error(message)
end

local function keep_stderr(_, data)
  for _, line in ipairs(data) do
    if line ~= '' then
      table.insert(stderr, line)
    end
  end
  while #stderr > stderr_lines do
    table.remove(stderr, 1)
  end
end

local function may_restart()
  local now = vim.uv.hrtime() / 1e9
  restarts = vim.tbl_filter(function(at)
    return now - at < restart_window
  end, restarts)
  table.insert(restarts, now)
  return #restarts <= max_restarts
end

-- A signal may end Neovim in the middle of an autocommand, and then |VimLeavePre| does not come. Neovim would wait for
-- a process that is started now, and never end.
local function is_quitting()
  return vim.v.exiting ~= vim.NIL
end

local function on_exit(job, code)
  if channel ~= job then
    return
  end
  channel = nil
  require('acp.host.pending_decisions').forget()
  if is_quitting() then
    return
  end
  require('acp.host.requests').forget()
  local reason = ('the host exited with code %d'):format(code)
  if #stderr > 0 then
    reason = reason .. ': ' .. stderr[#stderr]
  end
  if code == too_old_code and #stderr > 0 then
    is_down, reason = true, stderr[#stderr]
  else
    is_down = not may_restart()
  end
  emit('exit', reason, not is_down)
end

local function shut_down()
  if M.is_running() then
    require('acp.host.pending_decisions').wait()
    M.notify('host.shutdown', {})
  end
end

local function shut_down_on_quit()
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('acp.quit', {}),
    callback = shut_down,
  })
end

local function hello()
  shut_down_on_quit()
  local log = require('acp.paths').log()
  M.notify('host.hello', { log = log, options = require('acp.config').for_host() })
  emit('start')
end

local function is_built()
  return vim.uv.fs_stat(vim.fs.joinpath(require('acp.paths').root, 'dist', 'host.js')) ~= nil
end

local function start()
  if not is_built() then
    local root = require('acp.paths').root
    complain(('not built: run "npm ci && npm run build" in %s'):format(root))
    return emit('unbuilt')
  end
  stderr, start_problem = {}, nil
  local paths = require('acp.paths')
  local node, pid = require('acp.host.node').path() or '', tostring(vim.fn.getpid())
  local command = { node, entry(), paths.cache('code'), pid }
  -- Version managers let files of the current folder choose the program.
  local options = { rpc = true, cwd = paths.root, on_exit = on_exit, on_stderr = keep_stderr }
  local ok, job = pcall(vim.fn.jobstart, command, options)
  if not ok or job <= 0 then
    local message = '"%s" was not found: install Node 20+, or set the option "node"'
    return complain(message:format(require('acp.config').get().node))
  end
  channel = job
  hello()
end

-- The remote plugin manifest defines its functions on their first call.
local function is_registered()
  return vim.fn.exists('*AcpNotify') == 1 or vim.fn.exists('#FuncUndefined#AcpNotify') == 1
end

-- Uses the host of all Node plugins, which Neovim starts at the first call.
local function use_shared()
  if is_using_shared then
    return true
  end
  if not is_registered() then
    complain('host = "shared" needs :UpdateRemotePlugins and a restart of Neovim')
    return false
  end
  is_using_shared = true
  hello()
  return true
end

local function is_shared()
  return channel == nil and require('acp.config').get().host == 'shared'
end

--- Uses a host that is connected already; for tests.
---@param id integer
function M.attach(id)
  channel = id
  hello()
end

-- A host that returns after it was given up opens all chats before anything else.
local function ensure()
  if channel or is_quitting() then
    return
  end
  start()
  if channel and is_down then
    is_down = false
    emit('return')
  end
end

--- Starts the host now, because a chat is about to need it: Node starts while Neovim loads and opens the rest. Problems
--- are reported when the chat opens.
function M.start_early()
  local is_possible = is_built() and require('acp.host.node').path() ~= nil
  if is_possible and not channel and not is_down and not is_shared() then
    start()
  end
end

-- The pipe buffers messages until the host reads them.
---@param op string
---@param payload table
---@return boolean|nil sent
local function send(op, payload)
  require('acp.host.pending_decisions').sent(op)
  if is_shared() then
    return use_shared() and pcall(vim.fn.AcpNotify, op, payload)
  elseif channel then
    return pcall(vim.rpcnotify, channel, entry() .. ':function:AcpNotify', { op, payload })
  end
end

--- Sends an operation only if the host runs, because the user did not ask for it: a file was saved, for example.
---@param op string
---@param payload table
---@return boolean|nil sent
function M.notify_if_running(op, payload)
  if M.is_running() then
    return send(op, payload)
  end
end

--- Sends an operation, and starts the host if necessary.
---@param op string
---@param payload table
---@return boolean|nil sent
function M.notify(op, payload)
  if not is_shared() then
    ensure()
  end
  if M.is_running() then
    emit('send', op, payload)
  end
  return send(op, payload)
end

--- Requests something that the host has in memory, and waits for the answer up to a deadline.
---@param op string
---@param payload table
---@return any value, string|nil error
function M.request(op, payload)
  return require('acp.host.requests').wait(op, payload)
end

---@return boolean
function M.is_running()
  return channel ~= nil or is_using_shared
end

--- Ends the host as Neovim does when it quits, and waits for it.
---@param ms integer
function M.end_and_wait(ms)
  shut_down()
  local job = channel
  channel, is_using_shared = nil, false
  if job and vim.fn.jobwait({ job }, ms)[1] == -1 then
    vim.fn.jobstop(job)
  end
end

---@return string|nil why the host could not be started
function M.problem()
  return start_problem
end

--- Ends the host and everything it has started.
function M.stop()
  local job = channel
  channel = nil
  restarts = {}
  is_down = false
  if job then
    vim.fn.jobstop(job)
    require('acp.host.requests').forget()
  end
end

return M
