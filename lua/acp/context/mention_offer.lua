--- Offers to replace pasted lines with a mention of the place where they were yanked.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.context.mention_offer')

---@class acp.TextRange rows and columns from 0; the end is behind the last character
---@field row integer
---@field column integer
---@field end_row integer
---@field end_column integer

---@class acp.MentionOffer
---@field range acp.TextRange the pasted lines
---@field indent integer how many blanks 'autoindent' has inserted in the line below them
---@field key acp.TemporaryKey

---@class acp.PasteWatch
---@field chat acp.Chat
---@field is_attached boolean
---@field changed? acp.TextRange what has changed since the last check
---@field offer? acp.MentionOffer
---@field undo_number integer the undo step of the last offer

---@type table<integer, acp.PasteWatch> by buffer
local watches = {}
-- Whether |vim.paste()| is called with a part that is not the last one.
local is_pasting = false

local function is_before(row, column, other_row, other_column)
  return row < other_row or (row == other_row and column < other_column)
end

-- Where a position is after a change. One within the replaced text moves to the end of the new text.
local function moved(row, column, old, new)
  if is_before(row, column, old.end_row, old.end_column) then
    return new.end_row, new.end_column
  elseif row == old.end_row then
    return new.end_row, new.end_column + column - old.end_column
  end
  return row + new.end_row - old.end_row, column
end

-- The smallest range that has two changes, the first of which was made earlier.
---@param earlier acp.TextRange|nil
---@param old acp.TextRange the text that the later change replaced
---@param new acp.TextRange
---@return acp.TextRange
local function joined(earlier, old, new)
  if not earlier then
    return new
  end
  local result = vim.deepcopy(new)
  if is_before(earlier.row, earlier.column, new.row, new.column) then
    result.row, result.column = earlier.row, earlier.column
  end
  if not is_before(earlier.end_row, earlier.end_column, old.row, old.column) then
    result.end_row, result.end_column = moved(earlier.end_row, earlier.end_column, old, new)
  end
  return result
end

---@return acp.TextRange
local function range_of(row, column, rows, columns)
  local end_column = rows == 0 and column + columns or columns
  return { row = row, column = column, end_row = row + rows, end_column = end_column }
end

---@param buf integer
---@param row integer
---@return string
local function line_at(buf, row)
  return api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
end

-- The lines that were pasted, without the line break before or behind them. Nil for a part of a line.
---@param buf integer
---@param changed acp.TextRange
---@return acp.TextRange|nil range, integer indent of the line below them
local function pasted_lines(buf, changed)
  local range, has_break, indent = vim.deepcopy(changed), false, 0
  if range.end_row == range.row then
    return nil, 0
  end
  if line_at(buf, range.end_row):sub(1, range.end_column):find('^%s*$') then
    indent = range.end_column
    range.end_row = range.end_row - 1
    range.end_column = #line_at(buf, range.end_row)
    has_break = true
  end
  if range.column > 0 and range.column == #line_at(buf, range.row) then
    range.row, range.column = range.row + 1, 0
    has_break = true
  end
  local count = range.end_row - range.row + 1
  local is_complete = count > 1 or (count == 1 and has_break)
  local is_small = count <= require('acp.context.yanks').max_lines
  return is_complete and is_small and range or nil, indent
end

---@param buf integer
---@param range acp.TextRange
---@return string|nil mention, integer|nil size_before the bytes at the start that were not pasted
local function mention_of(buf, range)
  local lines =
    api.nvim_buf_get_text(buf, range.row, range.column, range.end_row, range.end_column, {})
  -- A mention of a blank line or a bracket helps nobody.
  if not table.concat(lines):find('[%w\128-\255]') then
    return nil
  end
  local place = require('acp.context.yanks').find(lines)
  if not place then
    return nil
  end
  local cwd = watches[buf].chat.cwd
  return require('acp.context.reference').of(place.path, cwd, place.range), place.size_before
end

-- The key has its own meaning again as soon as there is nothing to accept.
---@param buf integer
---@param key string
---@return acp.TemporaryKey
local function map(buf, key)
  local accept = "<Cmd>lua require('acp.context.mention_offer').accept()<CR>"
  -- In Insert mode the text before and behind it is undone separately.
  local keys = { n = accept, i = '<C-g>u' .. accept .. '<C-g>u' }
  return require('acp.ui.mappings.temporary').map(
    buf,
    key,
    keys,
    'mention the place of these lines'
  )
end

---@param buf integer
local function withdraw(buf)
  local offer = watches[buf].offer
  if not offer then
    return
  end
  watches[buf].offer = nil
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  require('acp.ui.mappings.temporary').unmap(offer.key)
end

-- The pasted line nearest to the cursor that has room for the hint at its end, among the next few.
---@param buf integer
---@param range acp.TextRange
---@param hint string
---@return integer row
local function row_for(buf, range, hint)
  local columns = require('acp.ui.text_width').room(api.nvim_get_current_win())
  local cursor = api.nvim_win_get_cursor(0)[1] - 1
  local nearest = math.max(range.row, math.min(cursor, range.end_row))
  local step = cursor > range.row and -1 or 1
  for row = nearest, nearest + 4 * step, step do
    local is_pasted = row >= range.row and row <= range.end_row
    local used = vim.fn.strdisplaywidth(line_at(buf, row)) % columns
    if is_pasted and used + 1 + vim.fn.strdisplaywidth(hint) <= columns then
      return row
    end
  end
  return nearest
end

---@param buf integer
---@param range acp.TextRange
---@param indent integer
---@param mention string
---@param key string
local function show(buf, range, indent, mention, key)
  local hint = ('%s → %s'):format(key, mention)
  api.nvim_buf_set_extmark(buf, ns, row_for(buf, range, hint), 0, {
    virt_text = { { hint, 'AcpHint' } },
    virt_text_pos = 'eol',
  })
  watches[buf].offer = {
    range = range,
    indent = indent,
    key = map(buf, key),
  }
end

-- Whether the text came with a new undo step. Text that |u| or |CTRL-R| brings back was offered before.
---@param watch acp.PasteWatch
---@return boolean
local function is_new(watch)
  local tree = vim.fn.undotree()
  local is_known = tree.seq_cur ~= tree.seq_last or tree.seq_last <= watch.undo_number
  watch.undo_number = math.max(watch.undo_number, tree.seq_last)
  -- All changes in Insert mode are one step.
  return not is_known or api.nvim_get_mode().mode:find('^[iR]') ~= nil
end

-- Leaving Insert mode removes an indent without text.
---@param buf integer
---@param offer acp.MentionOffer|nil
---@param changed acp.TextRange
---@return boolean
local function is_removed_indent(buf, offer, changed)
  return offer ~= nil
    and offer.indent > 0
    and changed.row == offer.range.end_row + 1
    and changed.end_row == changed.row
    and line_at(buf, changed.row) == ''
end

-- Looks at what has changed in the current buffer.
---@param buf integer
local function check(buf)
  local watch = watches[buf]
  local changed = watch.changed
  if not changed then
    return
  elseif is_removed_indent(buf, watch.offer, changed) then
    watch.offer.indent, watch.changed = 0, nil
    return
  end
  withdraw(buf)
  if is_pasting then
    return
  end
  watch.changed = nil
  local key = require('acp.config').get().keys.mention
  if not key then
    return
  end
  local range, indent = pasted_lines(buf, changed)
  if not range then
    return
  end
  local mention, size_before = mention_of(buf, range)
  if mention and is_new(watch) then
    range.column = range.column + size_before
    show(buf, range, indent, mention, key)
  end
end

---@param cursor integer[]
local function is_in(range, cursor)
  local row, column = cursor[1] - 1, cursor[2]
  local is_after_start = row > range.row or (row == range.row and column >= range.column)
  return is_after_start
    and (row < range.end_row or (row == range.end_row and column < range.end_column))
end

--- Replaces the pasted lines with the mention, behind which the user can go on. The source may have changed since.
function M.accept()
  local buf = api.nvim_get_current_buf()
  check(buf)
  local offer = watches[buf].offer
  if not offer then
    return
  end
  withdraw(buf)
  local range, indent = offer.range, offer.indent
  local mention = mention_of(buf, range)
  if not mention then
    local message = 'the lines have changed in the file that they were yanked in'
    return require('acp.messages').info(message)
  end
  local before = line_at(buf, range.row):sub(1, range.column)
  local after = line_at(buf, range.end_row):sub(range.end_column + 1)
  local text = (before:find('%S$') and ' ' or '') .. mention .. (after:find('^%S') and ' ' or '')
  local lines, end_row, end_column = { text }, range.end_row, range.end_column
  if indent > 0 then
    lines, end_row, end_column = { text, '' }, end_row + 1, indent
  end
  local cursor = api.nvim_win_get_cursor(0)
  api.nvim_buf_set_text(buf, range.row, range.column, end_row, end_column, lines)
  if is_in(range, cursor) then
    local is_insert = api.nvim_get_mode().mode:sub(1, 1) == 'i'
    local column = range.column + #text - (is_insert and 0 or 1)
    api.nvim_win_set_cursor(0, { range.row + 1, column })
  end
end

---@param buf integer
local function attach(buf)
  local watch = watches[buf]
  watch.changed = nil
  if watch.is_attached then
    return
  end
  watch.is_attached = api.nvim_buf_attach(buf, false, {
    on_bytes = function(_, _, _, row, column, _, old_rows, old_columns, _, new_rows, new_columns)
      local old = range_of(row, column, old_rows, old_columns)
      watch.changed = joined(watch.changed, old, range_of(row, column, new_rows, new_columns))
    end,
    on_detach = function()
      watch.is_attached = false
    end,
  })
end

local is_wrapped = false

-- A terminal sends a long paste in parts, which belong together.
local function wrap_paste()
  if is_wrapped then
    return
  end
  is_wrapped = true
  local previous = vim.paste
  vim.paste = function(lines, phase)
    is_pasting = phase == 1 or phase == 2
    local is_accepted = previous(lines, phase)
    is_pasting = is_pasting and is_accepted ~= false
    local buf = api.nvim_get_current_buf()
    if phase == 3 and watches[buf] then
      check(buf)
    end
    return is_accepted
  end
end

--- Makes offers in a buffer from now on.
---@param chat acp.Chat
---@param buf integer
function M.watch(chat, buf)
  require('acp.context.yanks').watch()
  wrap_paste()
  watches[buf] = { chat = chat, is_attached = false, undo_number = 0 }
  attach(buf)
  local autocommands = require('acp.ui.autocommands')
  local on = autocommands.group('context.mention_offer.' .. buf, buf)
  on(autocommands.text_changed, function()
    check(buf)
  end)
  on('BufEnter', function()
    attach(buf)
  end)
  -- Commands such as `o` have changed the text before Insert mode begins.
  on('InsertEnter', function()
    if watches[buf].changed then
      withdraw(buf)
    end
    watches[buf].changed = nil
  end)
  on({ 'BufLeave', 'WinLeave' }, function()
    withdraw(buf)
  end)
  on('BufWipeout', function()
    watches[buf] = nil
  end)
end

return M
