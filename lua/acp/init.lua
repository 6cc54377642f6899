--- The public API.
local M = {}

--- Adds options to those that were given before; optional, and starts nothing. See |acp-options|.
---@param options? table<string, any>|false false: forgets those of earlier calls
function M.setup(options)
  require('acp.config').set(options)
  if package.loaded['acp.host'] then
    require('acp.host').notify_if_running(
      'host.configure',
      { options = require('acp.config').for_host() }
    )
  end
end

--- Opens the chat with an agent and goes to its prompt.
---@param agent? string
function M.chat(agent)
  require('acp.commands').run('chat', { args = agent or '', bang = false })
end

--- Sends a prompt to the current chat, or to a new one with the default agent. It may have mentions.
---@param text string
---@param options? acp.SendOptions
---@return integer|nil chat the chat, if there are options
function M.send(text, options)
  if options then
    return require('acp.commands').send(text, options)
  end
  require('acp.commands').run('send', { args = text, range = 0 })
end

--- Adds files or mentions to the draft of the current chat.
---@param what string such as `src/a.ts` or `@diagnostics`; several are separated by blanks
function M.add(what)
  local words = vim.split(what, '%s+', { trimempty = true })
  require('acp.commands').run('add', { args = what, fargs = words, range = 0, bang = false })
end

--- Stops the running turn of a chat, by default of the current one.
---@param chat? integer
function M.cancel(chat)
  if chat then
    return require('acp.commands.api').cancel(chat)
  end
  require('acp.commands').run('cancel', { args = '' })
end

--- The questions that wait, of all chats or of one. It never waits.
---@param chat? integer
---@return acp.Question[]
function M.questions(chat)
  return require('acp.attention.status').questions(chat)
end

--- Answers a question, unless it has changed since it was read.
---@param question acp.Question an item of `questions()`, or the data of |AcpWaiting|
---@param choice integer|string the number of the choice, its name, or its kind, such as `allow_once`
---@return boolean sent
function M.answer(question, choice)
  return require('acp.commands.api').answer(question, choice)
end

--- The chats of this Neovim, the oldest first. It never waits.
---@return acp.ChatStatus[]
function M.sessions()
  return require('acp.attention.status').chats()
end

--- Counts over all chats. It never waits.
---@return acp.Status
function M.status()
  return require('acp.attention.status').get()
end

--- The counts as a short text for 'statusline'; empty if nothing runs or waits. It never waits.
---@return string
function M.statusline()
  return require('acp.attention.status').line()
end

--- The prompts that wait in a chat, by default in the current one. It never waits.
---@param chat? integer
---@return string[]
function M.queue(chat)
  return require('acp.commands.api').queue(chat)
end

--- The lines of the transcript of a chat, by default of the current one.
---@param chat? integer
---@return string[]
function M.transcript(chat)
  return require('acp.commands.api').transcript(chat)
end

--- Calls back with the transcript of a chat as Markdown.
---@param chat integer|nil by default the current one
---@param callback fun(markdown: string|nil, error?: string)
function M.markdown(chat, callback)
  require('acp.commands.api').markdown(chat, callback)
end

--- Calls a function at an event. See |acp-events|.
---@param event string its name, or `*` for every event
---@param listener fun(data: table, event: string)
---@return fun() stop
function M.on(event, listener)
  return require('acp.attention.events').on(event, listener)
end

--- Ends what `on` began; without a function, for all functions.
---@param event string
---@param listener? function
function M.off(event, listener)
  require('acp.attention.events').off(event, listener)
end

--- Sets the handler for an extension request of agents; without a handler it is removed.
---@param method string such as `_vendor/method`
---@param handler? acp.RequestHandler
---@param options? acp.RequestOptions
function M.on_request(method, handler, options)
  require('acp.extensions').on_request(method, handler, options)
end

--- Sets the handler for an extension notification of agents; without a handler it is removed.
---@param method string such as `_vendor/event`
---@param handler? fun(params: any, context: acp.ExtensionContext)
function M.on_notification(method, handler)
  require('acp.extensions').on_notification(method, handler)
end

--- Sends an extension request to the agent of the current chat.
---@param method string such as `_vendor/method`
---@param params? table|fun(context: acp.ExtensionContext): table
---@param callback? fun(result: any, error?: acp.ExtensionError)
function M.request(method, params, callback)
  require('acp.extensions').request(method, params, callback)
end

--- Sends an extension notification to the agent of the current chat.
---@param method string such as `_vendor/event`
---@param params? table|fun(context: acp.ExtensionContext): table
function M.notify(method, params)
  require('acp.extensions').notify(method, params)
end

return M
