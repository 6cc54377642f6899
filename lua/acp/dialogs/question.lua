--- The questions of a chat. A dialog opens on |:AcpAnswer|, or on its own when the user is idle in an empty prompt and
--- the option `question` or a replaced |vim.ui.select()| lets it.
local M = {}

local dialogs, idle = require('acp.dialogs.dialog'), require('acp.dialogs.idle')

---@type table<integer, fun()> by chat: stops waiting for an idle user
local stops = {}

---@param dialog acp.Dialog
local function postpone(dialog)
  require('acp.host').notify('question.postpone', { chat = dialog.chat, id = dialog.id })
end

-- What opened by itself does so again: under the same conditions, with the same guard.
---@param dialog acp.Dialog
local function show_again(dialog)
  require('acp.host').notify('question.show', {
    chat = dialog.chat,
    id = dialog.id,
    opensByItself = dialog.opensByItself,
  })
end

-- The list of Neovim takes the command line and every key until it is answered, so it opens only for those who want it.
---@return boolean
local function may_open_by_itself()
  local wanted = require('acp.config').get().question
  if wanted == nil then
    return not require('acp.dialogs.select').is_of_neovim()
  end
  return wanted ~= 'chat'
end

-- Never over the transcript, where the user reads, and never over a draft.
local function is_ready(chat)
  local buf = vim.api.nvim_get_current_buf()
  return may_open_by_itself()
    and not dialogs.is_open()
    and buf == chat.prompt
    and require('acp.ui.buffer_text').is_empty(buf)
end

local function stop(chat)
  if stops[chat.id] then
    stops[chat.id]()
    stops[chat.id] = nil
  end
end

---@class acp.WaitingQuestion
---@field id integer
---@field block integer its block in the transcript
---@field first integer its first line there
---@field above? integer the block of the call above it that shows the plan it asks about
---@field revision integer changes when it shows something else
---@field hasChoices? boolean a digit chooses

---@class acp.WaitingChange
---@field questions acp.WaitingQuestion[] new ones, and those that stand elsewhere or show something else
---@field gone integer[] ids
---@field count integer how many are open
---@field isQuiet? boolean they open on request only: each of them has opened once, or is a form or a page

--- The open questions of a chat have changed.
---@param chat acp.Chat
---@param change acp.WaitingChange
function M.update(chat, change)
  if #change.gone > 0 then
    dialogs.forget_notice()
  end
  for _, id in ipairs(change.gone) do
    chat.questions[id] = nil
  end
  for _, question in ipairs(change.questions) do
    chat.questions[question.id] = question
  end
  chat.waiting = change.count
  stop(chat)
  dialogs.discard_withdrawn(chat.id, chat.questions)
  if change.count == 0 or change.isQuiet or not may_open_by_itself() then
    return
  end
  stops[chat.id] = idle.wait({
    quiet = idle.quiet_ms,
    since = idle.now(),
    is_ready = function()
      return is_ready(chat)
    end,
  }, function()
    require('acp.host').notify('question.show', { chat = chat.id, opensByItself = true })
  end)
end

---@type acp.Place|nil where the user was before the dialog that they asked for
local asked_from

--- Opens the oldest question on request of the user, in any mode. Afterwards the user is where they were.
---@param chat acp.Chat
function M.show(chat)
  dialogs.abandon('it was asked again')
  asked_from = require('acp.ui.place').leave()
  require('acp.host').notify('question.show', { chat = chat.id })
end

--- The user goes on from here, without returning to an earlier place.
function M.stay()
  asked_from = nil
end

--- A chat was closed: its questions are withdrawn.
---@param chat acp.Chat
function M.forget(chat)
  stop(chat)
  chat.waiting = 0
  chat.questions = {}
  dialogs.discard_withdrawn(chat.id, {})
end

--- The host has exited: its questions are withdrawn. Returns how many there were.
---@param chats table<integer, acp.Chat>
---@return integer
function M.on_host_exit(chats)
  dialogs.abandon('the host that asked has exited')
  local count = 0
  for _, chat in pairs(chats) do
    count = count + chat.waiting
    M.forget(chat)
  end
  return count
end

--- Opens a dialog of a question, or postpones it if the user is busy.
---@param dialog acp.Dialog
function M.dialog(dialog)
  local chat = require('acp.chats').get(dialog.chat)
  if not chat then
    return
  end
  dialog.retry = dialog.retry or function()
    show_again(dialog)
  end
  local on_answer = dialog.on_answer
  dialog.on_answer = function(answer)
    on_answer(answer)
    if answer == nil then
      dialogs.notify_later()
    end
    if asked_from and (answer == nil or type(answer) == 'table' and answer.isLast) then
      require('acp.ui.place').restore(asked_from)
      asked_from = nil
    end
  end
  -- The user may have started to type since the host was asked to show it.
  if dialog.opensByItself then
    asked_from = nil
  end
  if dialog.opensByItself and not (idle.is_normal() and is_ready(chat)) then
    return postpone(dialog)
  end
  idle.wait({ quiet = 0 }, function()
    if not dialogs.open(dialog) then
      postpone(dialog)
    end
  end)
end

return M
