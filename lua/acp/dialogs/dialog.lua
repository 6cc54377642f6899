--- One dialog at a time for questions. Keys typed before a dialog could be read do not answer it.
local M = {}

local idle = require('acp.dialogs.idle')

--- An answer within this many milliseconds after the dialog opened is ignored. Tests set them.
M.guard_ms = 500
--- The same if the dialog opened by itself: whoever did not ask for it may need longer to see that it is there.
M.unasked_guard_ms = 2000

---@class acp.Dialog
---@field chat? integer
---@field id? integer the question
---@field opensByItself? boolean it opened on its own, not on request of the user
---@field step? string distinguishes the dialogs of one question
---@field listed? { chat: integer, id: integer }[] the questions that it lists, if there are several
---@field open fun(answered: fun(answer: any)): fun()? shows it; returns a function that closes it
---@field on_answer fun(answer: any) called with a valid answer; nil: the dialog was closed
---@field retry? fun(answer: any) shows it again after an ignored answer
---@field opened? number
---@field is_done? boolean
---@field close? fun()
---@field discarded? string why its answer is ignored

---@type acp.Dialog|nil
local current
---@type string|nil the dialog that was shown again
local retried
---@type fun()|nil
local stop_retry

--- Notifies the user when a dialog has closed.
---@param message string
---@param level? integer
function M.notify(message, level)
  -- Below the list of |inputlist()| a message would wait for <CR>.
  vim.cmd.redraw()
  require('acp.messages').notify(message, level or vim.log.levels.INFO)
end

---@type string|nil what the user was told about a question that was open then
local told

--- Notifies the user that a question is still open.
---@param message string
---@param level? integer
local function notify_open(message, level)
  told = message .. '; :AcpAnswer asks again'
  M.notify(told, level)
end

--- Notifies the user that they have closed a dialog without an answer.
function M.notify_later()
  notify_open('the question is still open')
end

--- A question was answered or withdrawn, so what was said about it is no longer true.
function M.forget_notice()
  if told then
    require('acp.messages').take_back(told)
    told = nil
  end
end

local function key_of(dialog)
  return ('%s/%s/%s'):format(dialog.chat, dialog.id, dialog.step)
end

-- Only once: a user who keeps typing, or a script that answers, finds the question in the chat.
local function retry(dialog, answer)
  local key = key_of(dialog)
  if retried == key then
    notify_open('a key was typed too early, so nothing was answered')
    return
  end
  retried = key
  M.notify('ignored a key typed before the question could be read')
  local function is_ready()
    return current == nil
  end
  local wait = { quiet = M.guard_ms, since = idle.now(), is_ready = is_ready }
  stop_retry = idle.wait(wait, function()
    dialog.retry(answer)
  end)
end

local function discard(reason)
  local dialog = current
  if dialog then
    dialog.discarded = reason
    current = nil
    -- Some replacements of vim.ui.select fail when their window is closed.
    pcall(dialog.close or function() end)
  end
end

--- Whether an answer comes so soon that the user may not have read what it answers.
---@param dialog { opened?: number, opensByItself?: boolean }
---@return boolean
function M.is_too_early(dialog)
  local guard = dialog.opensByItself and M.unasked_guard_ms or M.guard_ms
  return not dialog.opened or idle.now() - dialog.opened < guard
end

local function finish(dialog, answer)
  -- Some replacements of vim.ui.select call back twice.
  if dialog.is_done then
    return
  end
  dialog.is_done = true
  if current == dialog then
    current = nil
  end
  if dialog.discarded then
    if answer ~= nil then
      M.notify('nothing was answered: ' .. dialog.discarded, vim.log.levels.WARN)
    end
  elseif answer ~= nil and M.is_too_early(dialog) then
    retry(dialog, answer)
  else
    retried = nil
    dialog.on_answer(answer)
  end
  idle.check_again()
end

local function fail(dialog, problem)
  dialog.is_done = true
  if current == dialog then
    current = nil
  end
  if not tostring(problem):find('Keyboard interrupt', 1, true) then
    local message = 'the dialog failed, so nothing was answered; :AcpAnswer asks again: %s'
    M.notify(message:format(problem), vim.log.levels.ERROR)
  end
end

--- Whether a dialog is open. Some pickers never call back when they are closed, so |:AcpAnswer| discards it.
---@return boolean
function M.is_open()
  return current ~= nil
end

--- Opens a dialog. False when another one is open.
---@param dialog acp.Dialog
---@return boolean
function M.open(dialog)
  if current then
    return false
  end
  current = dialog
  dialog.opened = idle.now()
  local ok, result = pcall(dialog.open, function(answer)
    finish(dialog, answer)
  end)
  -- The time counts from now: the picker may have taken long to open.
  dialog.opened = idle.now()
  if ok then
    dialog.close = result
  elseif not dialog.is_done then
    fail(dialog, result)
  else
    M.notify(tostring(result), vim.log.levels.ERROR)
  end
  return true
end

--- Discards the open dialog: others may open, and its answer is ignored.
---@param reason string
function M.abandon(reason)
  discard(reason)
  if stop_retry then
    stop_retry()
    stop_retry = nil
  end
end

---@param chat integer
---@param open table<integer, unknown> by id
---@return boolean
local function is_obsolete(dialog, chat, open)
  if not dialog.listed then
    return dialog.chat == chat and not open[dialog.id]
  end
  dialog.listed = vim.tbl_filter(function(question)
    return question.chat ~= chat or open[question.id] ~= nil
  end, dialog.listed)
  return #dialog.listed == 0
end

--- Closes the open dialog if its question, or all those that it lists, were answered elsewhere or withdrawn.
---@param chat integer
---@param open table<integer, unknown> the open questions of the chat, by id
function M.discard_withdrawn(chat, open)
  if current and is_obsolete(current, chat, open) then
    discard('the question is no longer open')
  end
end

--- Shortens a prompt so that the choices below it fit on the screen. Both ends stay, because a command may do harm at
--- either.
---@param prompt string
---@param choices integer
---@param is_in_chat? boolean the chat shows it too
---@return string
function M.shorten(prompt, choices, is_in_chat)
  local most = is_in_chat and math.floor(vim.o.lines / 3) or vim.o.lines
  local rows = math.max(1, math.min(most, vim.o.lines - choices - 4))
  local room = math.max(60, rows * vim.o.columns - 40)
  local length = vim.fn.strchars(prompt)
  local cells = require('acp.ui.text_width').cells(prompt)
  if cells <= room then
    return prompt
  end
  local where = is_in_chat and '; the chat shows all' or ''
  local mark = (' … (%d characters%s) … '):format(length, where)
  -- Wide characters take two cells.
  local kept = math.floor((room - #mark) / (cells > length and 2 or 1))
  local head = math.floor(kept * 2 / 3)
  local tail = kept - head
  return vim.fn.strcharpart(prompt, 0, head) .. mark .. vim.fn.strcharpart(prompt, length - tail)
end

return M
