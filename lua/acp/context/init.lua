--- What the mentions of a prompt refer to in Neovim: `@buffer`, `@selection` and the like.
local M = {}

---@class acp.ContextItem
---@field path? string absolute; without a text, the host reads the file or its buffer
---@field range? { first: integer, last: integer }
---@field name? string what a text without a file is called
---@field text? string
---@field mimeType? string

---@class acp.ContextAnswer
---@field items acp.ContextItem[]
---@field problem? string why there is nothing, for the user

---@alias acp.ContextProvider fun(argument: string|nil, chat: acp.Chat, answer: fun(answer: acp.ContextAnswer))

-- The host waits a little longer.
local deadline_ms = 1200

---@param name string
---@return acp.ContextProvider|nil
local function provider_of(name)
  return require('acp.context.places')[name]
    or require('acp.context.symbols')[name]
    or require('acp.context.lists')[name]
    or require('acp.context.texts')[name]
end

---@param request { name: string, argument?: string }
---@param chat acp.Chat
---@param answer fun(answer: acp.ContextAnswer)
local function run(request, chat, answer)
  local problem = require('acp.context.items').problem
  local provider = provider_of(request.name)
  if not provider then
    return answer(problem('this Neovim does not know what that is'))
  end
  local ok, failure = pcall(provider, request.argument, chat, answer)
  if not ok then
    answer(problem(tostring(failure)))
  end
end

--- Answers the host once everything is known, or when the time is up. A provider may answer later.
---@param chat acp.Chat
---@param id integer
---@param requests { name: string, argument?: string }[]
function M.read(chat, id, requests)
  local answers, missing = {}, #requests
  local function receive(index, answer)
    if answers[index] then
      return
    end
    answers[index] = answer
    missing = missing - 1
    if missing == 0 then
      require('acp.host').notify_if_running('context.answer', { id = id, answers = answers })
    end
  end
  for index, request in ipairs(requests) do
    run(request, chat, function(answer)
      receive(index, answer)
    end)
  end
  if missing == 0 then
    return
  end
  vim.defer_fn(function()
    for index = 1, #requests do
      receive(index, require('acp.context.items').problem('no answer of a language server in time'))
    end
  end, deadline_ms)
end

return M
