--- One dialog of a question at a time. What is typed before it could be read does not answer it.
local M = {}

local idle = require('acp.idle')

--- Milliseconds that a dialog must have been open before its answer counts. Tests set it.
M.guard_ms = 500

---@class acp.Dialog
---@field chat? integer
---@field id? integer the question
---@field isUnasked? boolean it comes up by itself, and not because the user wants it
---@field step? string tells the dialogs of one question apart
---@field open fun(answered: fun(answer: any)) shows it
---@field take fun(answer: any) what to do with an answer that counts; nil: it was closed
---@field retry? fun(answer: any) shows it once more after an early answer
---@field opened? number
---@field is_done? boolean
---@field disowned? string why its answer does not count any more

---@type acp.Dialog|nil
local current
---@type string|nil the dialog that was opened once more
local retried
---@type fun()|nil
local stop_retry

--- Tells the user something when a dialog has closed.
---@param message string
---@param level? integer
function M.say(message, level)
  -- Below the list of |inputlist()| a message would wait for <CR>.
  vim.cmd.redraw()
  require('acp.notice').say(message, level or vim.log.levels.INFO)
end

local function key_of(dialog)
  return ('%s/%s/%s'):format(dialog.chat, dialog.id, dialog.step)
end

-- Once: whoever goes on typing, or answers by a program, finds it in the chat.
local function retry(dialog, answer)
  local key = key_of(dialog)
  if retried == key then
    M.say('typed too early, so nothing was answered; :AcpAnswer asks again')
    return
  end
  retried = key
  M.say('a key typed before the question could be read did not answer it')
  local function is_ready()
    return current == nil
  end
  local wait = { quiet = M.guard_ms, since = idle.now(), is_ready = is_ready }
  stop_retry = idle.wait(wait, function()
    dialog.retry(answer)
  end)
end

local function disown(reason)
  if current then
    current.disowned = reason
    current = nil
  end
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
  if dialog.disowned then
    if answer ~= nil then
      M.say('nothing was answered: ' .. dialog.disowned, vim.log.levels.WARN)
    end
  elseif idle.now() - dialog.opened < M.guard_ms and (answer ~= nil or dialog.isUnasked) then
    retry(dialog, answer)
  else
    retried = nil
    dialog.take(answer)
  end
  idle.look()
end

local function fail(dialog, problem)
  dialog.is_done = true
  if current == dialog then
    current = nil
  end
  if not tostring(problem):find('Keyboard interrupt', 1, true) then
    local message = 'the dialog failed and nothing was answered; :AcpAnswer asks again: %s'
    M.say(message:format(problem), vim.log.levels.ERROR)
  end
end

--- Whether a dialog is open. Some are closed without a word, so this is forgotten on |:AcpAnswer|.
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
  local ok, problem = pcall(dialog.open, function(answer)
    finish(dialog, answer)
  end)
  -- A picker that took long to come up could be read only now.
  dialog.opened = idle.now()
  if not ok and not dialog.is_done then
    fail(dialog, problem)
  elseif not ok then
    M.say(tostring(problem), vim.log.levels.ERROR)
  end
  return true
end

--- What is open no longer keeps others away, and its answer does not count.
---@param reason string
function M.abandon(reason)
  disown(reason)
  if stop_retry then
    stop_retry()
    stop_retry = nil
  end
end

--- The questions of a chat that still wait; what is open for another one does not count any more.
---@param chat integer
---@param ids integer[]
function M.keep(chat, ids)
  if current and current.chat == chat and not vim.list_contains(ids, current.id) then
    disown('this is no longer asked')
  end
end

--- A prompt that leaves room for the choices below it. Both ends stay: what a command does may stand at either.
---@param prompt string
---@param choices integer
---@param is_in_chat? boolean it can be read there too
---@return string
function M.fit(prompt, choices, is_in_chat)
  local most = is_in_chat and math.floor(vim.o.lines / 3) or vim.o.lines
  local rows = math.max(1, math.min(most, vim.o.lines - choices - 4))
  local room = math.max(60, rows * vim.o.columns - 40)
  local length = vim.fn.strchars(prompt)
  if vim.fn.strdisplaywidth(prompt) <= room then
    return prompt
  end
  local where = is_in_chat and '; the chat shows all' or ''
  local mark = (' … (%d characters%s) … '):format(length, where)
  -- Wide characters take two cells.
  local kept = math.floor((room - #mark) / (vim.fn.strdisplaywidth(prompt) > length and 2 or 1))
  local head = math.floor(kept * 2 / 3)
  local tail = kept - head
  return vim.fn.strcharpart(prompt, 0, head) .. mark .. vim.fn.strcharpart(prompt, length - tail)
end

return M
