--- Answers in the chat: a digit on a waiting question chooses. Everywhere else digits are counts.
local M = {}

local api = vim.api
local frames = require('acp.chat.frames')

---@type { key: string, at: number }|nil the question under the cursor, and since when it is there
local arrival

---@class acp.QuestionPlaces
---@field moved number when the window last moved
---@field since table<integer, { revision: integer, at: number }> by question: since when it stands there

---@type table<acp.Chat, acp.QuestionPlaces>
local places = setmetatable({}, { __mode = 'k' })

---@type table<integer, integer> by window that followed the end: the block of the question that the cursor went to
local left_end = {}

local function now()
  return require('acp.dialogs.idle').now()
end

---@param chat acp.Chat
---@return acp.WaitingQuestion|nil
local function question_under_cursor(chat)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  -- The last line shows the activity.
  if row == api.nvim_buf_line_count(chat.buf) - 1 then
    return nil
  end
  local block, line = frames.block_at(chat.buf, row)
  for _, question in pairs(chat.questions) do
    if question.block == block and line >= question.first then
      return question
    end
  end
end

---@param question acp.WaitingQuestion
local function key_of(question)
  return ('%d/%d'):format(question.id, question.revision)
end

---@param question acp.WaitingQuestion
---@param since? number when it could be read already
local function arrive(question, since)
  local key = ('%d/%s'):format(api.nvim_get_current_win(), key_of(question))
  if not arrival or arrival.key ~= key or (since and since < arrival.at) then
    arrival = { key = key, at = since or now() }
  end
  return arrival.at
end

---@param chat acp.Chat
---@return acp.QuestionPlaces
local function places_of(chat)
  places[chat] = places[chat] or { moved = 0, since = {} }
  return places[chat]
end

---@param chat acp.Chat
---@param change acp.WaitingChange
local function note_places(chat, change)
  local since = places_of(chat).since
  for _, id in ipairs(change.gone) do
    since[id] = nil
  end
  for _, question in ipairs(change.questions) do
    local before = since[question.id]
    if not before or before.revision ~= question.revision then
      since[question.id] = { revision = question.revision, at = now() }
    end
  end
end

-- The time before an answer counts begins when the question comes under the cursor, or shows something else there.
---@param chat acp.Chat
local function note_cursor(chat)
  local is_here = api.nvim_get_current_buf() == chat.buf
  local question = is_here and question_under_cursor(chat)
  if question then
    arrive(question)
  elseif is_here then
    arrival = nil
  end
end

---@param chat acp.Chat
---@param win integer
---@return integer|nil block
local function block_under_cursor(chat, win)
  return (frames.block_at(chat.buf, api.nvim_win_get_cursor(win)[1] - 1))
end

-- A window that followed the end follows it again after the last answer, unless the user has moved on in it.
---@param chat acp.Chat
local function follow_again(chat)
  for win, block in pairs(left_end) do
    local is_valid = api.nvim_win_is_valid(win)
    if not is_valid then
      left_end[win] = nil
    elseif api.nvim_win_get_buf(win) == chat.buf then
      left_end[win] = nil
      local is_reading = api.nvim_get_current_win() == win
        and api.nvim_get_mode().mode:sub(1, 1) ~= 'n'
      if not is_reading and block_under_cursor(chat, win) == block then
        require('acp.ui.scroll').go_to_end(win, true)
      end
    end
  end
end

-- Whether nothing of these lines is folded or behind an edge of the current window, as users may have set it.
---@param buf integer
---@param first integer 1-based
---@param last integer 1-based
---@return boolean
local function shows_all_of(buf, first, last)
  local text_width = require('acp.ui.text_width')
  local room = vim.wo.wrap and math.huge or text_width.room(api.nvim_get_current_win())
  local is_moved = not vim.wo.wrap and vim.fn.winsaveview().leftcol > 0
  local lines = api.nvim_buf_get_lines(buf, first - 1, last, false)
  return not is_moved
    and vim.iter(ipairs(lines)):all(function(index, line)
      return vim.fn.foldclosed(first + index - 1) == -1 and text_width.fits(line, room)
    end)
end

-- The agent may ask with a text that is higher than the window, so that the command is out of sight.
---@param chat acp.Chat
---@param question acp.WaitingQuestion
---@return boolean
local function is_whole_on_screen(chat, question)
  local start = frames.row_of_block(chat.buf, question.block)
  if not start then
    return false
  end
  local above = question.above and frames.row_of_block(chat.buf, question.above)
  local first = math.min(above or math.huge, start + question.first) + 1
  local view = vim.fn.winsaveview()
  local is_cut_above = view.topline > first or (view.topline == first and (view.skipcol or 0) > 0)
  local last = frames.last_row_of_block(chat.buf, question.block) + 1
  local name = ('%s/%s'):format(chat.id, question.id)
  return not is_cut_above
    and vim.fn.line('w$') >= last
    and shows_all_of(chat.buf, first, last)
    and not require('acp.dialogs.covered').check(api.nvim_get_current_win(), name)(first, last)
end

---@param chat acp.Chat
---@param question acp.WaitingQuestion
---@param digit integer
---@param is_whole boolean whether all of the question was on the screen
local function press(chat, question, digit, is_whole)
  local win = api.nvim_get_current_win()
  if vim.fn.line('w$', win) == api.nvim_buf_line_count(chat.buf) then
    left_end[win] = question.block
  end
  require('acp.dialogs.question').stay()
  require('acp.host').notify('question.press', {
    chat = chat.id,
    id = question.id,
    revision = question.revision,
    digit = digit,
    isWhole = is_whole,
  })
end

-- Also in the command-line window and in macros a digit is a count.
---@param chat acp.Chat
---@param digit integer
---@return string keys
local function on_digit(chat, digit)
  local question = chat.waiting > 0 and question_under_cursor(chat)
  local is_count = vim.v.count > 0 or not require('acp.dialogs.idle').is_normal()
  if not question or not question.hasChoices or is_count then
    return tostring(digit)
  end
  local dialogs = require('acp.dialogs.dialog')
  local since = arrive(question)
  local is_early = now() - since < dialogs.guard_ms
  local is_whole = is_whole_on_screen(chat, question)
  vim.schedule(function()
    if is_early then
      dialogs.notify('ignored a key typed before the question could be read')
    else
      press(chat, question, digit, is_whole)
    end
  end)
  return '<Ignore>'
end

--- Maps the digits in the transcript.
---@param chat acp.Chat
function M.map(chat)
  for digit = 1, 9 do
    vim.keymap.set('n', tostring(digit), function()
      return on_digit(chat, digit)
    end, { buffer = chat.buf, expr = true, nowait = true, desc = 'acp: answer the question' })
  end
  local group = api.nvim_create_augroup('acp.question_keys.' .. chat.id, {})
  local function on(event, run)
    api.nvim_create_autocmd(event, { group = group, buffer = chat.buf, callback = run })
  end
  on({ 'CursorMoved', 'WinEnter', 'BufEnter' }, function()
    note_cursor(chat)
  end)
  on({ 'WinLeave', 'BufLeave' }, function()
    arrival = nil
  end)
  on({ 'BufWinEnter', 'WinScrolled' }, function()
    places_of(chat).moved = now()
  end)
end

--- The open questions of a chat have changed.
---@param chat acp.Chat
---@param change acp.WaitingChange
function M.update(chat, change)
  note_places(chat, change)
  if chat.buf then
    note_cursor(chat)
  end
  if chat.buf and chat.waiting == 0 then
    follow_again(chat)
  end
end

-- The first question below a row, else the first of all, and its row.
---@param chat acp.Chat
---@param row integer
---@return integer|nil, acp.WaitingQuestion|nil
local function next_question(chat, row)
  local rows = {}
  for _, question in pairs(chat.questions) do
    local start = frames.row_of_block(chat.buf, question.block)
    if start then
      table.insert(rows, { row = start + question.first, question = question })
    end
  end
  table.sort(rows, function(a, b)
    return a.row < b.row
  end)
  local found = vim.iter(rows):find(function(place)
    return place.row > row
  end) or rows[1]
  if found then
    return found.row, found.question
  end
end

-- A question that stood whole on the screen could be read before the cursor came to it.
---@param chat acp.Chat
---@param win integer
---@param question acp.WaitingQuestion
---@return number|nil
local function readable_since(chat, win, question)
  local is_whole = api.nvim_win_call(win, function()
    return is_whole_on_screen(chat, question)
  end)
  local place = is_whole and places_of(chat).since[question.id]
  return place and math.max(place.at, places_of(chat).moved) or nil
end

---@param chat acp.Chat
---@param win integer
---@return boolean whether it follows the end, or did before the cursor went to a question
local function is_following(chat, win)
  local block = left_end[win]
  return vim.list_contains(require('acp.ui.scroll').followers(chat.buf), win)
    or (block ~= nil and block == block_under_cursor(chat, win))
end

-- Scrolls so that the whole question can be read, if there is room for it. The last question is shown with the activity
-- below it: the window then follows the end after the answer.
---@param chat acp.Chat
---@param row integer of its first line
local function show_whole(chat, row)
  local last = frames.last_row_of_block(chat.buf, frames.block_at(chat.buf, row)) + 1
  local end_of_chat = api.nvim_buf_line_count(chat.buf)
  local bottom = last == end_of_chat - 1 and end_of_chat or last
  if vim.fn.line('w$') < bottom then
    api.nvim_win_set_cursor(0, { bottom, 0 })
    vim.cmd.normal({ 'zb', bang = true })
  end
  api.nvim_win_set_cursor(0, { row + 1, 0 })
end

--- Goes to the next question that waits, from the transcript or the prompt.
---@param chat acp.Chat
function M.go_to_next(chat)
  local win = require('acp.ui.windows').find(chat.buf)
  local is_here = win == api.nvim_get_current_win()
  local from = is_here and api.nvim_win_get_cursor(0)[1] - 1 or -1
  local row, question
  if win then
    row, question = next_question(chat, from)
  end
  if not win or not row or not question then
    local other = require('acp.chats').with_question()
    local where = other and '; :AcpAnswer opens one of another chat' or ''
    return require('acp.messages').info('no question waits in this chat' .. where)
  end
  local since = readable_since(chat, win, question)
  left_end[win] = is_following(chat, win) and frames.block_at(chat.buf, row) or nil
  api.nvim_set_current_win(win)
  vim.cmd.normal({ "m'", bang = true })
  api.nvim_win_set_cursor(win, { row + 1, 0 })
  show_whole(chat, row)
  arrive(question, since)
end

return M
