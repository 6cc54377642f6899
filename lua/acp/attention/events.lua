--- The `User` events. See |acp-events|.
local M = {}

--- Every event; the help and a test have the same list.
M.names = {
  'AcpAgentGone',
  'AcpAnswered',
  'AcpChatClosed',
  'AcpFileChanged',
  'AcpLoginNeeded',
  'AcpModeChanged',
  'AcpModelChanged',
  'AcpPlanChanged',
  'AcpQueueChanged',
  'AcpSessionOpened',
  'AcpTitleChanged',
  'AcpToolEnded',
  'AcpToolStarted',
  'AcpTurnEnded',
  'AcpTurnStarted',
  'AcpUsage',
  'AcpWaiting',
}

---@type table<string, table<function, integer[]>> autocommands of |acp.on()|, by event and function
local listeners = {}

--- Fires an event. The host does not wait for the user's autocommands, and an error in one of them does no harm.
---@param name string
---@param data table
function M.fire(name, data)
  vim.schedule(function()
    local options = { pattern = name, modeline = false, data = data }
    local ok, problem = pcall(vim.api.nvim_exec_autocmds, 'User', options)
    if not ok then
      local message = 'an autocommand for %s failed: %s'
      require('acp.messages').error(message:format(name, tostring(problem)))
    end
  end)
end

-- Neovim would stop with the whole traceback.
---@param listener fun(data: table, name: string)
---@param data table
---@param name string
local function run(listener, data, name)
  local ok, problem = pcall(listener, data, name)
  if not ok then
    local message = 'a listener of %s failed: %s'
    require('acp.messages').error(message:format(name, tostring(problem)))
  end
end

---@param name string
---@return boolean
local function is_event(name)
  return name == '*' or vim.list_contains(M.names, name)
end

--- Calls a function with the data of an event.
---@param name string
---@param listener fun(data: table, name: string)
---@return fun() stop
function M.on(name, listener)
  if not is_event(name) then
    error(('unknown event "%s"; :help acp-events lists them'):format(name), 3)
  end
  local id = vim.api.nvim_create_autocmd('User', {
    group = vim.api.nvim_create_augroup('acp.listeners', { clear = false }),
    pattern = name == '*' and M.names or name,
    desc = 'acp: a listener of acp.on()',
    callback = function(args)
      run(listener, args.data, args.match)
    end,
  })
  listeners[name] = listeners[name] or {}
  listeners[name][listener] = listeners[name][listener] or {}
  table.insert(listeners[name][listener], id)
  return function()
    pcall(vim.api.nvim_del_autocmd, id)
  end
end

--- Ends what |acp.on()| began. Without a function: for all functions.
---@param name string
---@param listener? function
function M.off(name, listener)
  for known, ids in pairs(listeners[name] or {}) do
    if listener == nil or known == listener then
      for _, id in ipairs(ids) do
        pcall(vim.api.nvim_del_autocmd, id)
      end
      listeners[name][known] = nil
    end
  end
end

return M
