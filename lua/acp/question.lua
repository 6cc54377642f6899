--- Asks the user what the agent wants to know: by itself when they are idle in the prompt, else when they want it.
local M = {}

local dialogs, idle = require('acp.dialog'), require('acp.idle')

---@type table<integer, fun()> how to give up waiting for a moment to ask, by chat
local stops = {}

local function tell(op, chat, id)
  require('acp.host').notify(op, { chat = chat, id = id })
end

local function is_empty(buf)
  return vim.api.nvim_buf_line_count(buf) == 1
    and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
end

-- Never over the transcript, where one reads, and never into a draft.
local function is_ready(chat)
  local buf = vim.api.nvim_get_current_buf()
  return not dialogs.is_open() and buf == chat.prompt and is_empty(buf)
end

local function stop(chat)
  if stops[chat.id] then
    stops[chat.id]()
    stops[chat.id] = nil
  end
end

--- Which questions wait has changed.
---@param chat acp.Chat
---@param ids integer[]
---@param is_quiet? boolean each of them came up once: they open when they are asked for
function M.waiting(chat, ids, is_quiet)
  chat.waiting = #ids
  stop(chat)
  dialogs.keep(chat.id, ids)
  if #ids == 0 or is_quiet then
    return
  end
  stops[chat.id] = idle.wait({
    quiet = idle.quiet_ms,
    since = idle.now(),
    is_ready = function()
      return is_ready(chat)
    end,
  }, function()
    require('acp.host').notify('question.show', { chat = chat.id, isUnasked = true })
  end)
end

--- Asks for the question that waits longest, because the user wants it.
---@param chat acp.Chat
function M.show(chat)
  dialogs.abandon('it was asked again')
  require('acp.host').notify('question.show', { chat = chat.id })
end

--- A chat has ended, and with it all that it asked.
---@param chat acp.Chat
function M.forget(chat)
  stop(chat)
  chat.waiting = 0
  dialogs.keep(chat.id, {})
end

--- The host has ended: what it asked is withdrawn. Returns how many questions that were.
---@param chats table<integer, acp.Chat>
---@return integer
function M.lost_host(chats)
  dialogs.abandon('the host that asked this has ended')
  local count = 0
  for _, chat in pairs(chats) do
    count = count + chat.waiting
    M.forget(chat)
  end
  return count
end

--- Opens a dialog of a question, if it may be now.
---@param dialog acp.Dialog
function M.dialog(dialog)
  local chat = require('acp.chats').get(dialog.chat)
  if not chat then
    return
  end
  dialog.retry = dialog.retry or function()
    tell('question.show', dialog.chat, dialog.id)
  end
  local take = dialog.take
  dialog.take = function(answer)
    take(answer)
    if answer == nil then
      dialogs.say('the question waits; :AcpAnswer asks it again')
    end
  end
  -- The user may have begun to type since this was asked for.
  if dialog.isUnasked and not (idle.is_normal() and is_ready(chat)) then
    return tell('question.postpone', dialog.chat, dialog.id)
  end
  idle.wait({ quiet = 0 }, function()
    if not dialogs.open(dialog) then
      tell('question.postpone', dialog.chat, dialog.id)
    end
  end)
end

---@class acp.Question
---@field chat integer
---@field id integer
---@field isUnasked? boolean
---@field prompt string
---@field options string[]
---@field look? string what to choose to see more first
---@field stop? string what to choose to stop the turn, if nothing else refuses

--- Asks for a permission, or how a conflict is to be settled.
---@param question acp.Question
function M.open(question)
  local items = {}
  for index, name in ipairs(question.options) do
    table.insert(items, { name = name, op = 'question.answer', option = index - 1 })
  end
  if question.look then
    table.insert(items, { name = question.look, op = 'question.look' })
  end
  if question.stop then
    table.insert(items, { name = question.stop, op = 'turn.cancel' })
  end
  M.dialog({
    chat = question.chat,
    id = question.id,
    isUnasked = question.isUnasked,
    open = function(answered)
      vim.ui.select(items, {
        prompt = dialogs.fit(question.prompt, #items, true),
        kind = 'acp.permission',
        format_item = function(item)
          return item.name
        end,
      }, answered)
    end,
    take = function(item)
      -- A replacement of vim.ui.select may call back with anything.
      item = vim.list_contains(items, item) and item or nil
      local payload = { chat = question.chat, id = question.id, option = item and item.option }
      require('acp.host').notify(item and item.op or 'question.close', payload)
    end,
  })
end

return M
