--- A conflict of texts, side by side: yours, what will be, and theirs. The user settles it in the middle.
local M = {}

local api = vim.api

---@class acp.Conflict
---@field chat integer
---@field id integer the question it is
---@field path string
---@field cause 'agent'|'disk' whose the other text is
---@field ours string[]
---@field merged string[]
---@field theirs string[]

---@type table<string, { bufs: integer[], tab?: integer, other: string }>
local open = {}

local function key_of(conflict)
  return conflict.chat .. '/' .. conflict.id
end

local first, middle, last =
  '^<<<<<<< yours · conflict %d+$', '^======= conflict %d+$', '^>>>>>>> theirs · conflict %d+$'

--- The conflicts that are left between two rows, the last first.
---@return { top: integer, middle: integer, bottom: integer }[] rows from 1
local function conflicts_in(buf, from, to)
  local found, current = {}, {}
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if line:find(first) then
      current = { top = row }
    elseif line:find(middle) then
      current.middle = row
    elseif line:find(last) and current.top and current.middle then
      current.bottom = row
      if current.top <= to and row >= from then
        table.insert(found, 1, current)
      end
      current = {}
    end
  end
  return found
end

---@param side 'mine'|'theirs'|'both'
local function take(buf, conflict, side)
  local function lines(from, to)
    return api.nvim_buf_get_lines(buf, from, to - 1, false)
  end
  local mine = lines(conflict.top, conflict.middle)
  local theirs = lines(conflict.middle, conflict.bottom)
  local taken = side == 'mine' and mine
    or side == 'theirs' and theirs
    or vim.list_extend(mine, theirs)
  api.nvim_buf_set_lines(buf, conflict.top - 1, conflict.bottom, false, taken)
end

local function take_under_cursor(buf, side)
  local from, to = vim.fn.line('v'), vim.fn.line('.')
  if from > to then
    from, to = to, from
  end
  local found = conflicts_in(buf, from, to)
  for _, conflict in ipairs(found) do
    take(buf, conflict, side)
  end
  if api.nvim_get_mode().mode:find('^[vV\22]') then
    api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  end
  if #found == 0 then
    vim.notify('acp: no conflict is under the cursor; ]x goes to the next', vim.log.levels.WARN)
  end
  vim.cmd.diffupdate()
end

local function hide(state)
  local tab = state.tab
  state.tab = nil
  require('acp.tabs').close(tab)
end

local function keys()
  return require('acp.config').get().keys
end

---@param conflict acp.Conflict
local function finish(conflict, buf)
  local left = #conflicts_in(buf, 1, math.huge)
  if left > 0 then
    local message = 'acp: %d of the conflicts are left; %s takes yours, %s theirs, %s both'
    local k = keys()
    local text = message:format(left, k.mine or '-', k.theirs or '-', k.both or '-')
    return vim.notify(text, vim.log.levels.WARN)
  end
  vim.bo[buf].modified = false
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  local is_empty = #lines == 1 and lines[1] == ''
  require('acp.host').notify('conflict.settle', {
    chat = conflict.chat,
    id = conflict.id,
    lines = is_empty and {} or lines,
  })
end

local function map(buf, modes, lhs, desc, run)
  if lhs then
    vim.keymap.set(modes, lhs, run, { buffer = buf, desc = 'acp: ' .. desc, nowait = true })
  end
end

local function map_keys(buf)
  for side, desc in pairs({ mine = 'take yours', theirs = 'take theirs', both = 'take both' }) do
    map(buf, { 'n', 'x' }, keys()[side], desc, function()
      take_under_cursor(buf, side)
    end)
  end
  map(buf, 'n', ']x', 'next conflict', function()
    vim.fn.search('^<<<<<<< yours · conflict', 'W')
  end)
  map(buf, 'n', '[x', 'previous conflict', function()
    vim.fn.search('^<<<<<<< yours · conflict', 'bW')
  end)
end

---@param conflict acp.Conflict
---@param part string
---@param lines string[]
local function create(conflict, part, lines)
  local buf = api.nvim_create_buf(false, true)
  local name = 'acp://conflict/%s/%s/%s'
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local file = vim.fs.basename(conflict.path)
  require('acp.names').set(buf, name:format(key_of(conflict), part, file))
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].syntax = vim.filetype.match({ filename = conflict.path }) or ''
  return buf
end

---@param conflict acp.Conflict
local function buffers(conflict)
  local ours = create(conflict, 'yours', conflict.ours)
  local merged = create(conflict, 'result', conflict.merged)
  local theirs = create(conflict, 'theirs', conflict.theirs)
  vim.bo[ours].modifiable = false
  vim.bo[theirs].modifiable = false
  vim.bo[merged].buftype = 'acwrite'
  vim.bo[merged].modified = false
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = merged,
    callback = function()
      finish(conflict, merged)
    end,
  })
  map_keys(merged)
  return { ours, merged, theirs }
end

local function titles(other)
  local k = keys()
  local function with(key, text)
    return key and ('%s · %s'):format(text, key) or text
  end
  return {
    with(k.mine, ' yours'),
    with(k.both and k.both .. ' both', ' result') .. ' · :w done · %<q later',
    with(k.theirs, ' ' .. other),
  }
end

local function show(state)
  state.tab = require('acp.tabs').open(state.bufs[1])
  local wins = { api.nvim_get_current_win() }
  for index = 2, #state.bufs do
    local place = { split = 'right', win = wins[index - 1] }
    wins[index] = api.nvim_open_win(state.bufs[index], false, place)
  end
  for index, win in ipairs(wins) do
    api.nvim_win_call(win, vim.cmd.diffthis)
    api.nvim_set_option_value('winbar', titles(state.other)[index], { win = win, scope = 'local' })
    map(state.bufs[index], 'n', 'q', 'decide later', function()
      hide(state)
    end)
  end
  vim.cmd('wincmd =')
  api.nvim_set_current_win(wins[2])
  vim.fn.cursor(1, 1)
  vim.fn.search('^<<<<<<< yours · conflict', 'cW')
end

--- Opens a conflict in a tab page of its own; what was begun there before is still there.
---@param conflict acp.Conflict
function M.open(conflict)
  local key = key_of(conflict)
  local other = conflict.cause == 'disk' and 'theirs, on disk' or 'theirs'
  open[key] = open[key] or { bufs = buffers(conflict), other = other }
  local state = open[key]
  if state.tab and api.nvim_tabpage_is_valid(state.tab) then
    api.nvim_set_current_tabpage(state.tab)
  else
    show(state)
  end
  require('acp.question').release()
end

--- The conflict is settled, or nobody waits for it any more.
---@param conflict { chat: integer, id: integer }
function M.close(conflict)
  local state = open[key_of(conflict)]
  if not state then
    return
  end
  open[key_of(conflict)] = nil
  hide(state)
  for _, buf in ipairs(state.bufs) do
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
end

--- A chat has ended, and with it all that waits in it.
---@param chat integer
function M.forget(chat)
  for key in pairs(open) do
    local owner, id = key:match('^(%d+)/(%d+)$')
    if tonumber(owner) == chat then
      M.close({ chat = chat, id = tonumber(id) })
    end
  end
end

return M
