--- A question in a float: the whole text, and the choices with their digits.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.dialogs.float')
local max_width, min_width = 100, 40

---@class acp.QuestionFloat
---@field picker acp.Picker
---@field answered fun(item: acp.PickerItem|nil)
---@field buf integer
---@field win integer
---@field before integer the window that the user came from
---@field first_choice integer 0-based row of the first choice
---@field opened? number when it was on the screen, in milliseconds
---@field unseen table<integer, true> 1-based rows that were not on the screen yet
---@field has_more? boolean whether text is below the rows on the screen

local function dialogs()
  return require('acp.dialogs.dialog')
end

---@param float acp.QuestionFloat
local function choice_lines(float)
  local lines = {}
  for index, item in ipairs(float.picker.items) do
    table.insert(lines, ('  %s %s'):format(index < 10 and index or ' ', vim.trim(item.label)))
  end
  return lines
end

---@param float acp.QuestionFloat
local function create_buffer(float)
  local body = float.picker.body or { lines = { '  ' .. float.picker.prompt }, marks = {} }
  float.buf = require('acp.dialogs.body').create(body)
  local lines = choice_lines(float)
  vim.bo[float.buf].modifiable = true
  api.nvim_buf_set_lines(float.buf, -1, -1, false, vim.list_extend({ '' }, lines))
  vim.bo[float.buf].modifiable = false
  float.first_choice = #body.lines + 1
  for row = float.first_choice, float.first_choice + #lines - 1 do
    local options = { end_row = row + 1, end_col = 0, hl_group = 'AcpOption', strict = false }
    api.nvim_buf_set_extmark(float.buf, ns, row, 4, options)
    api.nvim_buf_set_extmark(float.buf, ns, row, 0, { end_col = 4, hl_group = 'AcpMuted' })
  end
  float.unseen = {}
  for row = 1, api.nvim_buf_line_count(float.buf) do
    float.unseen[row] = true
  end
end

-- In a float that is higher than the screen, the keys begin with the one that scrolls as long as text is below.
---@param float acp.QuestionFloat
---@param width integer
---@return string
local function footer_of(float, width)
  local is_question = float.picker.isQuestion or float.picker.mustRead
  local verb = is_question and 'answer' or 'choose'
  local last = math.min(9, #float.picker.items)
  local keys = { (last == 1 and '1' or '1-' .. last) .. ' ' .. verb }
  if float.has_more then
    table.insert(keys, 1, '<C-d> more')
  end
  local diff = require('acp.config').get().keys.diff
  if float.picker.preview and diff then
    table.insert(keys, diff .. ' change')
  end
  table.insert(keys, is_question and 'q later' or 'q close')
  return (' %s '):format(require('acp.ui.text_width').join_fitting(keys, width - 2))
end

-- With several chats it names its own: the user may be in another one.
---@param float acp.QuestionFloat
---@return string
local function title_of(float)
  local title = float.picker.title or float.picker.prompt
  local chats = require('acp.chats')
  local chat = float.picker.chat and chats.get(float.picker.chat)
  if not chat or vim.tbl_count(chats.all()) < 2 then
    return title
  end
  local name = chat.status and chat.status.title or chat.title or ''
  return ('%s · %s'):format(title, name ~= '' and name or ('chat %d'):format(chat.id))
end

-- As wide and high as its text, in the middle of the screen.
---@param float acp.QuestionFloat
---@return vim.api.keyset.win_config
local function config_of(float)
  -- What is below the screen does not change the size, and it takes long to measure thousands of lines.
  local lines = api.nvim_buf_get_lines(float.buf, 0, vim.o.lines, false)
  local title = (' %s '):format(title_of(float))
  local room = math.max(1, vim.o.columns - 4)
  local text_width = require('acp.ui.text_width')
  local wanted = math.max(text_width.longest(lines) + 2, text_width.cells(title) + 2, min_width)
  local width = math.min(wanted, max_width, room)
  local rows = text_width.rows(lines, width)
  local height = math.max(1, math.min(rows, vim.o.lines - vim.o.cmdheight - 4))
  return {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    style = 'minimal',
    border = require('acp.ui.border').style(),
    title = vim.fn.strcharpart(title, 0, width),
    footer = footer_of(float, width),
    footer_pos = 'right',
  }
end

-- Neovim counts a line that is higher than the window as visible if its beginning is.
---@param win integer
---@param row integer
---@return boolean
local function fits(win, row)
  local height = api.nvim_win_text_height(win, { start_row = row - 1, end_row = row - 1 }).all
  return height <= api.nvim_win_get_height(win)
end

---@param float acp.QuestionFloat
local function note_seen(float)
  if not api.nvim_win_is_valid(float.win) then
    return
  end
  local bottom = vim.fn.line('w$', float.win)
  local is_covered = require('acp.dialogs.covered').check(float.win)
  for row = vim.fn.line('w0', float.win), bottom do
    if float.unseen[row] and fits(float.win, row) and not is_covered(row, row) then
      float.unseen[row] = nil
    end
  end
  local has_more = bottom < api.nvim_buf_line_count(float.buf)
  if float.has_more ~= has_more then
    float.has_more = has_more
    local footer = footer_of(float, api.nvim_win_get_width(float.win))
    api.nvim_win_set_config(float.win, { footer = footer, footer_pos = 'right' })
  end
end

---@param float acp.QuestionFloat
local function close(float)
  local was_here = api.nvim_get_current_win() == float.win
  pcall(api.nvim_win_close, float.win, true)
  if was_here and api.nvim_win_is_valid(float.before) then
    api.nvim_set_current_win(float.before)
  end
end

---@param float acp.QuestionFloat
---@param item acp.PickerItem|nil
local function settle(float, item)
  local answered = float.answered
  float.answered = function() end
  close(float)
  answered(item)
end

-- How many of the lines that the user must read before this choice were not on the screen.
---@param float acp.QuestionFloat
---@param item acp.PickerItem
---@return integer
local function count_unread(float, item)
  local last = item.consents and float.picker.mustSee or 0
  local count = 0
  for row in pairs(float.unseen) do
    if float.picker.mustRead or row <= last then
      count = count + 1
    end
  end
  return count
end

---@param float acp.QuestionFloat
---@param item acp.PickerItem|nil nil: later
local function finish(float, item)
  local is_consent = float.picker.isQuestion or float.picker.mustRead
  local shown = { opened = float.opened, opensByItself = float.picker.opensByItself }
  if item and is_consent and dialogs().is_too_early(shown) then
    return dialogs().notify('ignored a key typed before the question could be read')
  end
  local unread = item and count_unread(float, item) or 0
  if unread > 0 then
    local message = 'not answered: scroll first, %d lines were hidden'
    return dialogs().notify(message:format(unread), vim.log.levels.WARN)
  end
  settle(float, item)
end

---@param float acp.QuestionFloat
local function map_keys(float)
  local function map(lhs, desc, run)
    local options = { buffer = float.buf, nowait = true, desc = 'acp: ' .. desc }
    vim.keymap.set('n', lhs, run, options)
  end
  for digit = 1, 9 do
    map(tostring(digit), 'answer', function()
      local item = float.picker.items[digit]
      if item then
        finish(float, item)
      end
    end)
  end
  map('<CR>', 'answer', function()
    local item = float.picker.items[api.nvim_win_get_cursor(0)[1] - float.first_choice]
    if item then
      finish(float, item)
    end
  end)
  for _, lhs in ipairs({ 'q', '<Esc>' }) do
    map(lhs, 'later', function()
      finish(float, nil)
    end)
  end
  local cancel = require('acp.config').get().keys.cancel
  if float.picker.chat and cancel then
    map(cancel, 'stop', function()
      require('acp.host').notify('turn.cancel', { chat = float.picker.chat })
    end)
  end
  local diff = require('acp.config').get().keys.diff
  if float.picker.preview and diff then
    map(diff, 'show the change', function()
      finish(float, float.picker.preview)
    end)
  end
  require('acp.ui.key_help').map(float.buf, 'Question')
end

---@param float acp.QuestionFloat
local function watch(float)
  local group = api.nvim_create_augroup('acp.dialogs.float', {})
  api.nvim_create_autocmd('WinScrolled', {
    group = group,
    callback = function()
      note_seen(float)
    end,
  })
  api.nvim_create_autocmd('VimResized', {
    group = group,
    callback = function()
      if api.nvim_win_is_valid(float.win) then
        api.nvim_win_set_config(float.win, config_of(float))
      end
    end,
  })
  -- The lines below a float that closes come into sight.
  api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = vim.schedule_wrap(function()
      note_seen(float)
    end),
  })
  -- A user who goes to another chat answers later.
  api.nvim_create_autocmd('BufEnter', {
    group = group,
    callback = function(event)
      local other = require('acp.chats').of(event.buf)
      local is_elsewhere = other and float.picker.chat and other.id ~= float.picker.chat
      if is_elsewhere and api.nvim_win_is_valid(float.win) then
        vim.schedule(function()
          settle(float, nil)
        end)
      end
    end,
  })
  -- Closed by the user: later.
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = float.buf,
    callback = vim.schedule_wrap(function()
      float.answered(nil)
    end),
  })
end

--- Opens a question. The user answers with a digit, or closes it to answer later.
---@param picker acp.Picker
---@param answered fun(item: acp.PickerItem|nil)
---@return fun() close
function M.open(picker, answered)
  local float = { picker = picker, answered = answered, before = api.nvim_get_current_win() }
  create_buffer(float)
  map_keys(float)
  float.win = api.nvim_open_win(float.buf, true, config_of(float))
  vim.w[float.win].acp_question = ('%s/%s'):format(picker.chat, picker.id)
  -- Folds would hide what the user must read, and so would a line that is scrolled in part.
  local options = {
    wrap = true,
    linebreak = true,
    breakindent = true,
    conceallevel = 2,
    foldenable = false,
    smoothscroll = false,
  }
  require('acp.ui.window_options').set_local(float.win, options)
  watch(float)
  vim.cmd.redraw()
  note_seen(float)
  float.opened = require('acp.dialogs.idle').now()
  return function()
    float.answered = function() end
    close(float)
  end
end

return M
