--- `:Acp` alone: a list of what can be done here and now.
local M = {}

---@class acp.PaletteItem
---@field label string
---@field command string

---@class acp.Situation
---@field chat? acp.Chat
---@field isBusy? boolean a turn runs
---@field changedFiles? integer number of files with changes that are not reviewed
---@field hasPrompts? boolean
---@field hasPlan? boolean
---@field hasTerminals? boolean
---@field range string the range that commands get, such as `10,20`
---@field is_code boolean the window shows a text of the user, or a tree

---@param situation acp.Situation
---@return [string, string][] label and command
local function urgent(situation)
  local items = {}
  if require('acp.chats').with_question() then
    table.insert(items, { 'Answer the question of the agent', 'AcpAnswer' })
  end
  if situation.isBusy then
    table.insert(items, { 'Stop the agent', 'AcpCancel' })
  end
  local queued = situation.chat and #require('acp.commands.api').queue() or 0
  if queued > 0 then
    local what = queued == 1 and '1 prompt' or ('%d prompts'):format(queued)
    table.insert(items, { ('Edit the queue of %s'):format(what), 'AcpQueue' })
  end
  local files = situation.changedFiles or 0
  if files > 0 then
    local what = files == 1 and '1 file' or ('%d files'):format(files)
    table.insert(items, { ('Review %s that the agent changed'):format(what), 'AcpReview' })
  end
  return items
end

---@param situation acp.Situation
local function about_code(situation)
  if not situation.is_code then
    return {}
  end
  local range = situation.range
  local what = range == '' and 'this line' or 'these lines'
  local items = {
    { ('Ask about %s'):format(what), range .. 'AcpAsk' },
    {
      range == '' and 'Add this file to the draft' or 'Add these lines to the draft',
      range .. 'AcpAdd',
    },
  }
  local prompts = require('acp.config').get().prompts
  for _, name in ipairs(require('acp.commands.templates').names()) do
    if name ~= 'fix' or #vim.diagnostic.get(0) > 0 then
      table.insert(items, { prompts[name].desc, ('%sAcpPrompt %s'):format(range, name) })
    end
  end
  return items
end

-- Each has a label, a command, and whether it can be done now.
---@param situation acp.Situation
local function about_chat(situation)
  local chat = situation.chat
  if not chat then
    return { { 'Open a chat', 'AcpChat' } }
  end
  local is_open = require('acp.chat.window').is_open(chat)
  local words = require('acp.commands.settings').words
  local items = {
    { is_open and 'Go to the chat' or 'Open the chat', 'AcpChat', true },
    { 'Send the last prompt again', 'AcpRetry', situation.hasPrompts and not situation.isBusy },
    { 'Choose an earlier prompt', 'AcpHistory', true },
    { 'Start a new session', 'AcpNew', true },
    { 'Restore files as they were before a prompt', 'AcpRestore', situation.hasPrompts },
    { 'Choose the model', 'AcpModel', #words('model', '') > 0 },
    { 'Choose the mode', 'AcpMode', #words('mode', '') > 0 },
    { 'Change an option of the session', 'AcpOption', #words('option', '') > 0 },
    { 'Show the plan', 'AcpPlan', situation.hasPlan },
    { 'Show a terminal', 'AcpTerminals', situation.hasTerminals },
    { 'Restart the agent', 'AcpRestart', true },
    { 'Close the chat', 'AcpClose', true },
  }
  return vim.tbl_filter(function(item)
    return item[3]
  end, items)
end

---@param situation acp.Situation
---@return acp.PaletteItem[]
local function items_for(situation)
  local lists = {
    urgent(situation),
    about_code(situation),
    about_chat(situation),
    {
      { 'Open an earlier session', 'AcpSessions' },
      { 'Choose an agent', 'AcpAgents' },
    },
  }
  return vim.tbl_map(function(item)
    return { label = item[1], command = item[2] }
  end, vim.iter(lists):flatten(1):totable())
end

---@param situation acp.Situation
local function show(situation)
  local items = items_for(situation)
  local width = 0
  for _, item in ipairs(items) do
    width = math.max(width, require('acp.ui.text_width').cells(item.label))
  end
  require('acp.dialogs.select').list(items, {
    prompt = 'acp',
    kind = 'acp.palette',
    format_item = function(item)
      local gap = (' '):rep(width - require('acp.ui.text_width').cells(item.label) + 2)
      return item.label .. gap .. ':' .. item.command
    end,
  }, function(item)
    if item then
      vim.cmd(item.command)
    end
  end)
end

--- Opens the list, with what the host knows about the chat.
---@param args { range: integer, line1: integer, line2: integer }
function M.open(args)
  local origin, trees = require('acp.context.origin'), require('acp.context.trees')
  local win, buf = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  local situation = {
    chat = require('acp.chats').current(),
    range = args.range > 0 and ('%d,%d'):format(args.line1, args.line2) or '',
    is_code = trees.is_tree(buf) or (origin.is_normal(win) and vim.bo[buf].buftype == ''),
  }
  if not situation.chat or not situation.chat.is_open_in_host then
    return show(situation)
  end
  local ask = require('acp.host.requests').ask
  ask('chat.situation', { chat = situation.chat.id }, function(answer)
    local known = type(answer) == 'table' and answer or {}
    require('acp.dialogs.picker').when_ready('acp', function()
      show(vim.tbl_extend('force', situation, known))
    end)
  end)
end

return M
