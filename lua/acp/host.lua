--- The connection to the Node process: starts it when it is first needed, and again when it dies.
local M = {}

local max_restarts, restart_window = 3, 60
local stderr_lines = 20

---@type integer|nil
local channel
---@type number[] when the host was started again, in seconds
local restarts = {}
---@type string[]
local stderr = {}
local is_quitting = false
---@type boolean it kept dying, and is started again only when the user wants something of it
local is_down = false
local is_using_shared = false

local function entry()
  return vim.fs.joinpath(require('acp.agents').root, 'rplugin', 'node', 'acp.js')
end

local function complain(message)
  require('acp.notice').say(message, vim.log.levels.ERROR)
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

local function on_exit(job, code)
  if channel ~= job then
    return
  end
  channel = nil
  require('acp.owed').forget()
  if is_quitting then
    return
  end
  local reason = ('the host exited with code %d'):format(code)
  if #stderr > 0 then
    reason = reason .. ': ' .. stderr[#stderr]
  end
  is_down = not may_restart()
  require('acp.chats').lost_host(reason, not is_down)
end

local function hello()
  local level = require('acp.config').get().log_level
  M.notify('host.hello', { log = M.log_path(), level = level, shell = vim.o.shell })
  if package.loaded['acp.extensions'] then
    require('acp.extensions').connect()
  end
end

local function start()
  local root = require('acp.agents').root
  if not vim.uv.fs_stat(vim.fs.joinpath(root, 'dist', 'host.js')) then
    return complain(('not built: run "npm ci && npm run build" in %s'):format(root))
  end
  stderr = {}
  local command = { require('acp.config').get().node, entry() }
  local ok, job =
    pcall(vim.fn.jobstart, command, { rpc = true, on_exit = on_exit, on_stderr = keep_stderr })
  if not ok or job <= 0 then
    local message = '"%s" was not found: install Node 20+, or set the option "node"'
    return complain(message:format(command[1]))
  end
  channel = job
  hello()
end

-- The manifest defines its functions when they are first called.
local function is_registered()
  return vim.fn.exists('*AcpNotify') == 1 or vim.fn.exists('#FuncUndefined#AcpNotify') == 1
end

-- In the host of all Node plugins, which Neovim starts at the first call.
local function use_shared()
  if is_using_shared then
    return true
  end
  if not is_registered() then
    complain('host = "shared" needs :UpdateRemotePlugins and a new Neovim')
    return false
  end
  is_using_shared = true
  hello()
  return true
end

local function is_shared()
  return channel == nil and require('acp.config').get().host == 'shared'
end

---@return string
function M.log_path()
  return vim.fs.joinpath(vim.fn.stdpath('log'), 'acp.log')
end

--- Uses a channel that is there already, for a host that somebody else started.
---@param id integer
function M.attach(id)
  channel = id
  hello()
end

-- A host that comes back after it was given up is told of all chats before anything else.
local function ensure()
  if channel then
    return
  end
  start()
  if channel and is_down then
    is_down = false
    require('acp.chats').found_host()
  end
end

--- Tells a host that runs something that is no wish of the user, such as that a file was saved.
---@param op string
---@param payload table
---@return boolean|nil sent
function M.mention(op, payload)
  if M.is_running() then
    return M.notify(op, payload)
  end
end

--- Tells the host what the user wants. It need not be up yet: the pipe keeps what is written to it.
---@param op string
---@param payload table
---@return boolean|nil sent
function M.notify(op, payload)
  require('acp.owed').sent(op)
  if is_shared() then
    return use_shared() and pcall(vim.fn.AcpNotify, op, payload)
  end
  ensure()
  if channel then
    return pcall(vim.rpcnotify, channel, entry() .. ':function:AcpNotify', { op, payload })
  end
end

--- Asks the host for something it has in memory, and waits for the answer for a limited time.
---@param op string
---@param payload table
---@return any value, string|nil error
function M.request(op, payload)
  return require('acp.requests').wait(op, payload)
end

---@return boolean
function M.is_running()
  return channel ~= nil or is_using_shared
end

--- Ends the host; what it had started ends with it.
function M.stop()
  local job = channel
  channel = nil
  restarts = {}
  is_down = false
  if job then
    vim.fn.jobstop(job)
  end
end

--- Neovim is about to end: what happens to the host from here on is no accident.
function M.quit()
  is_quitting = true
  if M.is_running() then
    require('acp.owed').wait()
    M.notify('host.shutdown', {})
  end
end

return M
