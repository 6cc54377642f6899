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

---@class acp.ConflictSplit
---@field bufs integer[] yours, the result, theirs
---@field tab? integer
---@field other string what the other side is called
---@field chat integer
---@field path string
---@field tick integer the result as it was when nobody had changed it
---@field ended? string why the result does not count any more

---@type table<string, acp.ConflictSplit>
local open = {}
local count = 0

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
    require('acp.notice').say(
      'no conflict is under the cursor; ]x goes to the next',
      vim.log.levels.WARN
    )
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
    local message = '%d of the conflicts are left; %s takes yours, %s theirs, %s both'
    local k = keys()
    local text = message:format(left, k.mine or '-', k.theirs or '-', k.both or '-')
    return require('acp.notice').say(text, vim.log.levels.WARN)
  end
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
  local name = 'acp://conflict/%d/%d/%s/%s'
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local file = vim.fs.basename(conflict.path)
  require('acp.names').set(buf, name:format(conflict.chat, count, part, file))
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].syntax = vim.filetype.match({ filename = conflict.path }) or ''
  return buf
end

-- `:w file` writes the result somewhere else; nothing but the answer to the question writes the file of the conflict.
local function write_elsewhere(buf, path, ended)
  local is_own_name = path == api.nvim_buf_get_name(buf)
  if is_own_name or (vim.uv.fs_stat(path) and vim.v.cmdbang == 0) then
    local problem = is_own_name and ('this no longer counts: ' .. ended)
      or (path .. ' exists (add !)')
    local message = 'not written: %s; :w {file} keeps the text'
    return require('acp.notice').say(message:format(problem), vim.log.levels.ERROR)
  end
  local ok = pcall(vim.fn.writefile, api.nvim_buf_get_lines(buf, 0, -1, false), path)
  if not ok then
    return require('acp.notice').say('could not write ' .. path, vim.log.levels.ERROR)
  end
  vim.bo[buf].modified = ended == nil and vim.bo[buf].modified
  require('acp.notice').say('the result is written to ' .. vim.fn.fnamemodify(path, ':~:.'))
end

---@param conflict acp.Conflict
local function buffers(conflict)
  count = count + 1
  local ours = create(conflict, 'yours', conflict.ours)
  local merged = create(conflict, 'result', conflict.merged)
  local theirs = create(conflict, 'theirs', conflict.theirs)
  vim.bo[ours].modifiable = false
  vim.bo[theirs].modifiable = false
  vim.bo[merged].buftype = 'acwrite'
  vim.bo[merged].modified = false
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = merged,
    callback = function(args)
      local state = open[key_of(conflict)]
      if state and not state.ended and args.match == api.nvim_buf_get_name(merged) then
        return finish(conflict, merged)
      end
      write_elsewhere(merged, args.match, state and state.ended)
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
  if not open[key] then
    local bufs = buffers(conflict)
    open[key] = {
      bufs = bufs,
      other = conflict.cause == 'disk' and 'theirs, on disk' or 'theirs',
      chat = conflict.chat,
      path = conflict.path,
      tick = api.nvim_buf_get_changedtick(bufs[2]),
    }
  end
  local state = open[key]
  if state.tab and api.nvim_tabpage_is_valid(state.tab) then
    api.nvim_set_current_tabpage(state.tab)
  else
    show(state)
  end
end

local function drop(key)
  local state = open[key]
  open[key] = nil
  hide(state)
  for _, buf in ipairs(state.bufs) do
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
end

local function is_changed(state)
  local result = state.bufs[2]
  return api.nvim_buf_is_valid(result) and api.nvim_buf_get_changedtick(result) ~= state.tick
end

-- What the user has made of it stays where it is, as a text that counts for nothing.
local function keep(state, reason)
  local result = state.bufs[2]
  state.ended = reason
  vim.bo[result].modified = true
  vim.bo[result].buflisted = true
  for _, win in ipairs(vim.fn.win_findbuf(result)) do
    local title = ' no longer counts: %s%%< · :w {file} keeps it'
    vim.wo[win].winbar = title:format((reason:gsub('%%', '%%%%')))
  end
  local message = 'the merge of %s no longer counts: %s; :w {file} keeps the text'
  local name = vim.fs.basename(state.path)
  require('acp.notice').say(message:format(name, reason), vim.log.levels.WARN)
end

---@param key string
---@param reason? string why it ended without the result; nil: the result was taken
local function finish_split(key, reason)
  local state = open[key]
  if not state or state.ended then
    return
  end
  if reason and is_changed(state) then
    keep(state, reason)
  else
    drop(key)
  end
end

--- The conflict is settled, or nobody waits for it any more.
---@param conflict { chat: integer, id: integer, reason?: string }
function M.close(conflict)
  finish_split(key_of(conflict), conflict.reason)
end

--- A chat has ended, and with it all that waits in it.
---@param chat integer
function M.forget(chat)
  for key, state in pairs(open) do
    if state.chat == chat then
      finish_split(key, 'its chat was closed')
    end
  end
end

--- The host has ended, and with it the questions that the splits answer.
function M.lost_host()
  for key in pairs(open) do
    finish_split(key, 'the host that asked has ended')
  end
end

return M
