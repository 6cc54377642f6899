--- Opens the path, link, attachment or change under the cursor or the mouse. The host finds what that is.
local M = {}

local api = vim.api
-- The host searches no further from the cursor.
local reach = 4000

---@param row integer 0-based
---@param column integer bytes
---@return { before: string, after: string } the line, divided at the cursor
local function divide(buf, row, column)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  return {
    before = line:sub(math.max(1, column - reach), column),
    after = line:sub(column + 1, column + reach),
  }
end

--- The line under the cursor as the host names it.
---@param chat acp.Chat
---@return { chat: integer, block: integer, line: integer, before: string, after: string }|nil
function M.line_under_cursor(chat)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local block, line = require('acp.chat.frames').block_at(chat.buf, row - 1)
  if block then
    local place = { chat = chat.id, block = block, line = line }
    return vim.tbl_extend('error', place, divide(chat.buf, row - 1, column))
  end
end

--- Opens what is under the cursor, else opens or closes the entry.
---@param chat acp.Chat
---@return boolean is_entry
function M.open(chat)
  local place = M.line_under_cursor(chat)
  if place then
    require('acp.host').notify('entry.open', place)
  end
  return place ~= nil
end

---@param chat acp.Chat
local function visit(chat)
  local place = M.line_under_cursor(chat)
  if place then
    require('acp.host').notify('entry.visit', place)
  end
end

---@param chat acp.Chat
local function visit_from_prompt(chat)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local place = vim.tbl_extend('error', { chat = chat.id }, divide(0, row - 1, column))
  require('acp.host').notify('reference.open', place)
end

-- Whether a word may be a path, a link or an address. Double clicks on all other words select, as everywhere.
---@param word string
---@return boolean
local function may_be_reference(word)
  word = word:gsub('[%p]+$', '')
  return word:find('[%w_~.]/[%w_.]') ~= nil
    or word:find('^/[%w_.]') ~= nil
    or word:find('%](', 1, true) ~= nil
    or word:find('%w%.%a[%w]?[%w]?[%w]?$') ~= nil
    or word:find('%.%w+[:#]L?%d') ~= nil
    or word:find('^@%w') ~= nil
end

-- The text of a link may have blanks.
---@param line string
---@param column integer 0-based
---@return boolean
local function is_in_link(line, column)
  for first, after in line:gmatch('()%[[^%[%]]*%]%([^()%s]*%)()') do
    if first <= column + 1 and column + 1 < after then
      return true
    end
  end
  return false
end

-- What can be opened but has no heading of a tool call, with a sign or with its word in plain mode.
local signs_of_entries = [[^\s*\%([▸▾▪▣]\|\%(closed\|open\|attached\|picture\):\) ]]

---@param chat acp.Chat
---@param row integer 0-based
---@param column integer 0-based
---@return boolean
local function is_clickable(chat, row, column)
  local line = api.nvim_buf_get_lines(chat.buf, row, row + 1, false)[1] or ''
  if column >= #line and line ~= '' then
    column = #line - 1
  end
  if vim.fn.match(line, signs_of_entries) == 0 then
    return true
  elseif require('acp.chat.frames').is_tool_heading(chat.buf, row) then
    return true
  elseif is_in_link(line, column) then
    return true
  end
  local word = line:sub(1, column):match('%S*$') .. line:sub(column + 1):match('^%S*')
  return may_be_reference(word)
end

-- The first click has moved the cursor here. The line of the cursor shows its markup, so something else may be under
-- the mouse now.
---@param chat acp.Chat
---@return string keys
local function on_double_click(chat)
  local mouse = vim.fn.getmousepos()
  local is_here = mouse.winid == api.nvim_get_current_win() and mouse.line > 0
  local row, column = unpack(api.nvim_win_get_cursor(0))
  if not is_here or not is_clickable(chat, row - 1, column) then
    return '<2-LeftMouse>'
  end
  vim.schedule(function()
    if api.nvim_get_current_buf() == chat.buf then
      M.open(chat)
    end
  end)
  return '<Ignore>'
end

local names = { 'gf', 'gF', 'gx' }

---@param buf integer
---@param run fun()
local function map(buf, run)
  for _, lhs in ipairs(names) do
    vim.keymap.set('n', lhs, run, {
      buffer = buf,
      desc = 'acp: go to the path or link',
      nowait = true,
    })
  end
end

--- Maps the keys of the transcript.
---@param chat acp.Chat
function M.map_transcript(chat)
  map(chat.buf, function()
    visit(chat)
  end)
  vim.keymap.set('n', '<2-LeftMouse>', function()
    return on_double_click(chat)
  end, { buffer = chat.buf, expr = true, desc = 'acp: go to the path or link, expand' })
end

--- Maps the keys of the prompt.
---@param chat acp.Chat
function M.map_prompt(chat)
  map(chat.prompt, function()
    visit_from_prompt(chat)
  end)
end

return M
