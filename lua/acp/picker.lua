--- Lets the user choose. Each item says what the host is told when it is taken.
local M = {}

local idle = require('acp.idle')

---@class acp.Picker
---@field prompt string
---@field kind string
---@field items { label: string, op?: string, payload?: table }[]
---@field closed? { op: string, payload: table } what the host is told when none is taken
---@field isQuestion? boolean it belongs to a question of the agent
---@field isGuarded? boolean what is chosen has consequences, so a key typed before it opened must not choose
---@field chat? integer
---@field id? integer the question
---@field isUnasked? boolean

---@type fun()|nil gives up the picker that waits for Normal mode
local stop_waiting
---@type { since: number, stop: fun() }|nil the list that is being made
local loading
-- What comes after so many milliseconds comes late, and after the longest nobody waits for it.
local late_ms, longest_ms = 300, 30000

local function show(picker, answered)
  local dialogs = require('acp.dialog')
  vim.ui.select(picker.items, {
    prompt = dialogs.fit(picker.prompt, #picker.items, picker.isQuestion),
    kind = picker.kind,
    format_item = function(item)
      return item.label
    end,
  }, answered)
end

local function take(picker, item)
  -- A replacement of vim.ui.select may call back with anything.
  item = vim.list_contains(picker.items, item) and item or nil
  local told = item or picker.closed
  if told and told.op then
    require('acp.host').notify(told.op, told.payload)
  end
end

-- How a dialog opens the picker and what it does with the choice.
---@param picker acp.Picker
---@param fields table the other fields of the dialog
local function dialog_for(picker, fields)
  return vim.tbl_extend('error', fields, {
    open = function(answered)
      show(picker, answered)
    end,
    take = function(item)
      take(picker, item)
    end,
  })
end

---@param picker acp.Picker
local function ask(picker)
  require('acp.question').dialog(dialog_for(picker, {
    chat = picker.chat,
    id = picker.id,
    step = vim.inspect(picker.closed),
    isUnasked = picker.isUnasked,
  }))
end

local function show_guarded(picker)
  local dialogs = require('acp.dialog')
  dialogs.abandon('another choice was opened')
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

--- Says that a list is being made, which may take a while.
---@param message string
function M.loading(message)
  stop_loading()
  require('acp.notice').say(message)
  loading = { since = idle.now(), stop = idle.watch() }
  local this = loading
  vim.defer_fn(function()
    if loading == this then
      stop_loading()
    end
  end, longest_ms)
end

--- Runs a function that opens a list, once that takes no key which was meant for something else.
---@param what string
---@param run fun()
function M.when_ready(what, run)
  if stop_waiting then
    stop_waiting()
  end
  local is_late = loading and idle.now() - loading.since > late_ms
  stop_waiting = idle.wait({ quiet = is_late and require('acp.dialog').guard_ms or 0 }, function()
    stop_loading()
    run()
  end)
  if not idle.is_normal() then
    require('acp.notice').say(('"%s" is ready and opens in Normal mode'):format(what))
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
      take(picker, item)
    end)
    if not ok and not tostring(problem):find('Keyboard interrupt', 1, true) then
      require('acp.notice').say('the list failed: ' .. tostring(problem), vim.log.levels.ERROR)
    end
  end)
end

return M
