--- The public API.
local M = {}

--- Stores options; optional, and starts nothing. See |acp-options|.
---@param options? table<string, any>
function M.setup(options)
  require('acp.config').set(options)
end

--- Opens the chat with an agent and goes to its prompt.
---@param agent? string
function M.chat(agent)
  require('acp.commands').run('chat', { args = agent or '', bang = false })
end

--- Sends a prompt to the current chat, or to a new one with the default agent.
---@param text string
function M.send(text)
  require('acp.commands').run('send', { args = text, range = 0 })
end

--- Stops the running turn of the current chat.
function M.cancel()
  require('acp.commands').run('cancel', { args = '' })
end

--- Answers a request of agents beyond the protocol; without a handler it is answered no more.
---@param method string such as `_vendor/method`
---@param handler? acp.RequestHandler
---@param options? acp.RequestOptions
function M.on_request(method, handler, options)
  require('acp.extensions').on_request(method, handler, options)
end

--- Hears a notification of agents beyond the protocol; without a handler it is heard no more.
---@param method string such as `_vendor/event`
---@param handler? fun(params: any, context: acp.ExtensionContext)
function M.on_notification(method, handler)
  require('acp.extensions').on_notification(method, handler)
end

--- Asks the agent of the current chat something beyond the protocol.
---@param method string such as `_vendor/method`
---@param params? table|fun(context: acp.ExtensionContext): table
---@param callback? fun(result: any, error?: acp.ExtensionError)
function M.request(method, params, callback)
  require('acp.extensions').request(method, params, callback)
end

--- Tells the agent of the current chat something beyond the protocol.
---@param method string such as `_vendor/event`
---@param params? table|fun(context: acp.ExtensionContext): table
function M.notify(method, params)
  require('acp.extensions').notify(method, params)
end

return M
