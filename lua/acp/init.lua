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

return M
