--- Requests to the host. Each has a deadline, because the host may be busy, stopped or gone.
local M = {}

local deadline = 2000
-- How fast the host reads a prompt at least.
local bytes_per_ms = 1000

---@type table<integer, fun(value: any, error?: string)>
local pending = {}
local last_id = 0
local no_answer, not_running = 'the host does not answer', 'the host is not running'
local is_checking = false

---@param id integer
---@param value any
---@param error? string
local function settle(id, value, error)
  local callback = pending[id]
  pending[id] = nil
  if callback then
    callback(value, error)
  end
end

--- Requests something that the host has in memory. The callback is called once, with an error after the deadline.
---@param op string
---@param payload table
---@param callback fun(value: any, error?: string)
---@param wait? integer milliseconds until the deadline
function M.ask(op, payload, callback, wait)
  last_id = last_id + 1
  local id = last_id
  pending[id] = callback
  local host = require('acp.host')
  if
    not host.is_running() or not host.notify('host.ask', { id = id, op = op, payload = payload })
  then
    return settle(id, nil, not_running)
  end
  vim.defer_fn(function()
    settle(id, nil, no_answer)
  end, wait or deadline)
end

--- Tells the user if the host does not answer.
---@param prompt? string what the host reads first
function M.check(prompt)
  if is_checking then
    return
  end
  is_checking = true
  M.ask('host.status', {}, function(_, problem)
    is_checking = false
    if problem == no_answer then
      local is_shared = require('acp.config').get().host == 'shared'
      local message = is_shared and '%s; restart Neovim, which keeps your prompts'
        or '%s; :AcpRestart! starts another one and keeps your prompts'
      require('acp.messages').warn(message:format(no_answer))
    end
  end, deadline + math.floor(#(prompt or '') / bytes_per_ms))
end

--- The host has ended; it answers nothing any more.
function M.forget()
  for _, id in ipairs(vim.tbl_keys(pending)) do
    settle(id, nil, not_running)
  end
end

--- The host has answered a request.
---@param payload { id: integer, value?: any, error?: string }
function M.answered(payload)
  settle(payload.id, payload.value, payload.error)
end

--- Requests something and waits for the answer or the deadline. Not for anything that happens while typing.
---@param op string
---@param payload table
---@return any value, string|nil error
function M.wait(op, payload)
  local answer
  M.ask(op, payload, function(value, error)
    answer = { value = value, error = error }
  end)
  vim.wait(deadline + 100, function()
    return answer ~= nil
  end, 5)
  return answer.value, answer.error
end

return M
