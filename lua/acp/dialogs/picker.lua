--- Lets the user choose from a list of the host. Each item has the operation that is sent to the host.
local M = {}

local idle = require('acp.dialogs.idle')

---@class acp.PickerItem
---@field label string
---@field op? string
---@field payload? table
---@field isLast? boolean nothing follows
---@field consents? boolean it lets the agent do what was asked

---@class acp.Picker
---@field prompt string
---@field kind string
---@field items acp.PickerItem[]
---@field closed? { op: string, payload: table } sent to the host when nothing is chosen
---@field isQuestion? boolean it belongs to a question of the agent
---@field isGuarded? boolean the choice has consequences, so keys typed before it opened must not choose
---@field chat? integer
---@field id? integer the question
---@field opensByItself? boolean
---@field isInFloat? boolean it opens in a float, whatever the option says
---@field body? { lines: string[], marks: (integer|string)[] } what it is about
---@field title? string of a float
---@field mustSee? integer so many lines must have been on the screen before an item of a float that consents counts
---@field preview? acp.PickerItem the item of the key that shows the change
---@field mustRead? boolean it opens in a float, and counts only after all of it was on the screen
---@field listed? { chat: integer, id: integer }[] the questions that it lists

---@type fun()|nil cancels the picker that waits for Normal mode
local stop_waiting
---@type { since: number, stop: fun() }|nil the list that is being loaded
local loading
-- A list that took longer than this opens only when the user is idle; after the maximum it is forgotten.
local late_ms, max_ms = 300, 30000

-- A question that the user asks for opens in a list whatever the option says.
---@param picker acp.Picker
---@return boolean
local function is_wanted_in_float(picker)
  local is_asked_for = picker.isQuestion and not picker.opensByItself
  return picker.isInFloat or (not is_asked_for and require('acp.config').get().question == 'float')
end

-- What a list would cut opens in a float, where consent counts only after all of it was on the screen.
---@param picker acp.Picker
---@return boolean
local function is_in_float(picker)
  if picker.mustRead or not picker.body then
    return picker.mustRead == true
  end
  return is_wanted_in_float(picker) or not require('acp.dialogs.select').fits(picker)
end

---@return fun() close
local function show(picker, answered)
  if is_in_float(picker) then
    return require('acp.dialogs.float').open(picker, answered)
  end
  return require('acp.dialogs.select').open(picker, answered)
end

local function choose(picker, item)
  -- A replacement of vim.ui.select may call back with anything.
  local is_known = item and (item == picker.preview or vim.list_contains(picker.items, item))
  item = is_known and item or nil
  local message = item or picker.closed
  if not message or not message.op then
    return
  end
  local chat = message.payload.chat
  if chat and not require('acp.chats').get(chat) then
    return item and require('acp.messages').info('the chat of this list was closed')
  end
  require('acp.host').notify(message.op, message.payload)
end

-- The dialog that shows a picker.
---@param picker acp.Picker
---@param fields table the other fields of the dialog
local function dialog_for(picker, fields)
  return vim.tbl_extend('error', fields, {
    open = function(answered)
      return show(picker, answered)
    end,
    on_answer = function(item)
      choose(picker, item)
    end,
  })
end

---@param picker acp.Picker
local function ask(picker)
  require('acp.dialogs.question').dialog(dialog_for(picker, {
    chat = picker.chat,
    id = picker.id,
    step = vim.inspect(picker.closed),
    opensByItself = picker.opensByItself,
    listed = picker.listed,
  }))
end

local function show_guarded(picker)
  local dialogs = require('acp.dialogs.dialog')
  dialogs.abandon('another picker was opened')
  dialogs.open(dialog_for(picker, {
    step = picker.prompt,
    retry = function()
      show_guarded(picker)
    end,
  }))
end

local function stop_loading()
  if loading then
    loading.stop()
    loading = nil
  end
end

--- Notifies the user that a list is being loaded.
---@param message string
function M.loading(message)
  stop_loading()
  require('acp.messages').info(message)
  loading = { since = idle.now(), stop = idle.watch() }
  local this = loading
  vim.defer_fn(function()
    if loading == this then
      stop_loading()
    end
  end, max_ms)
end

--- Runs a function that opens a list, once no key can be typed into it by accident.
---@param what string
---@param run fun()
function M.when_ready(what, run)
  if stop_waiting then
    stop_waiting()
  end
  local is_late = loading and idle.now() - loading.since > late_ms
  stop_waiting = idle.wait(
    { quiet = is_late and require('acp.dialogs.dialog').guard_ms or 0 },
    function()
      stop_loading()
      run()
    end
  )
  if not idle.is_normal() then
    require('acp.messages').info(('"%s" is ready and opens in Normal mode'):format(what))
  end
end

---@param picker acp.Picker
function M.open(picker)
  if picker.isQuestion then
    return ask(picker)
  end
  M.when_ready(picker.prompt, function()
    if picker.isGuarded then
      return show_guarded(picker)
    end
    local ok, problem = pcall(show, picker, function(item)
      choose(picker, item)
    end)
    if not ok and not tostring(problem):find('Keyboard interrupt', 1, true) then
      require('acp.messages').error('the picker failed: ' .. tostring(problem))
    end
  end)
end

return M
