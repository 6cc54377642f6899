--- A conflict in three windows: your text, the result, and theirs. The user resolves it in the middle.
local M = {}

local api = vim.api
local markers = require('acp.review.conflict_markers')

---@class acp.Conflict
---@field chat integer
---@field id integer the question
---@field path string
---@field cause 'agent'|'disk' where the other text comes from
---@field ours string[]
---@field merged string[]
---@field theirs string[]

---@class acp.ConflictSplit
---@field bufs integer[] yours, the result, theirs
---@field tab? integer
---@field titles string[][] the pieces of the winbars; the last ones are left out first
---@field chat integer
---@field path string
---@field tick integer changedtick of the untouched result
---@field ended? string why the result will not be applied

---@type table<string, acp.ConflictSplit>
local open = {}
local count = 0

local function key_of(conflict)
  return conflict.chat .. '/' .. conflict.id
end

local function hide(state)
  local tab = state.tab
  state.tab = nil
  require('acp.ui.return_tab').close(tab)
end

local function keys()
  return require('acp.config').get().keys
end

---@param conflict acp.Conflict
local function finish(conflict, buf)
  local left = markers.count(buf)
  if left > 0 then
    local message = 'unresolved conflicts: %d; %s takes yours, %s theirs, %s both'
    local k = keys()
    local text = message:format(left, k.mine or '-', k.theirs or '-', k.both or '-')
    return require('acp.messages').warn(text)
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
      markers.take_under_cursor(buf, side)
    end)
  end
  map(buf, 'n', ']x', 'next conflict', function()
    markers.jump('')
  end)
  map(buf, 'n', '[x', 'previous conflict', function()
    markers.jump('b')
  end)
end

---@param conflict acp.Conflict
---@param part string
---@param lines string[]
local function create(conflict, part, lines)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local file = vim.fs.basename(conflict.path)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.make('conflict', conflict.chat, count, part, file))
  vim.bo[buf].bufhidden = 'hide'
  require('acp.review.colours').set_by_name(buf, conflict.path)
  return buf
end

-- `:w {file}` writes the result to another file. The file of the conflict is written only by answering the question.
---@param buf integer
---@param path string
---@param ended string|nil why the result will not be applied
local function write_elsewhere(buf, path, ended)
  if path == api.nvim_buf_get_name(buf) then
    local message = 'not written: the result will not be applied: %s; :w {file} saves the text'
    return require('acp.messages').error(message:format(ended))
  end
  local is_written = require('acp.chat.prompt.write').elsewhere(buf, path, 'wrote the result to %s')
  if is_written and ended then
    vim.bo[buf].modified = false
  end
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
  for _, buf in ipairs({ ours, merged, theirs }) do
    require('acp.ui.key_help').map(buf, 'Conflict', {
      others = function()
        return buf == merged and {} or { { title = 'Conflict, result', buf = merged } }
      end,
    })
  end
  return { ours, merged, theirs }
end

---@param other string title of the other side
---@return string[][]
local function titles(other)
  local k = keys()
  local result = { ' result', ':w done', 'q later' }
  if k.both then
    table.insert(result, 3, k.both .. ' both')
  end
  return { { ' yours', k.mine or nil }, result, { ' ' .. other, k.theirs or nil } }
end

---@param state acp.ConflictSplit
local function draw_titles(state)
  for index, buf in ipairs(state.bufs) do
    for _, win in ipairs(api.nvim_buf_is_valid(buf) and vim.fn.win_findbuf(buf) or {}) do
      local room = api.nvim_win_get_width(win)
      local title = require('acp.ui.text_width').join_fitting(state.titles[index], room)
      local winbar = require('acp.ui.winbar').escape(title)
      require('acp.ui.window_options').set_local(win, { winbar = winbar })
    end
  end
end

local function show(state)
  state.tab = require('acp.ui.return_tab').open(state.bufs[1])
  local wins = { api.nvim_get_current_win() }
  for index = 2, #state.bufs do
    local place = { split = 'right', win = wins[index - 1] }
    wins[index] = api.nvim_open_win(state.bufs[index], false, place)
  end
  for index, win in ipairs(wins) do
    api.nvim_win_call(win, vim.cmd.diffthis)
    map(state.bufs[index], 'n', 'q', 'decide later', function()
      hide(state)
    end)
  end
  vim.cmd('wincmd =')
  draw_titles(state)
  require('acp.ui.autocommands').group('conflict.' .. state.tab)('WinResized', function()
    local is_open = state.tab and api.nvim_tabpage_is_valid(state.tab)
    if is_open then
      draw_titles(state)
    end
    -- The autocommand ends with the tab page.
    return not is_open
  end)
  api.nvim_set_current_win(wins[2])
  vim.fn.cursor(1, 1)
  markers.jump('c')
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
  return api.nvim_buf_is_loaded(result) and api.nvim_buf_get_changedtick(result) ~= state.tick
end

---@param conflict acp.Conflict
---@return acp.ConflictSplit
local function create_split(conflict)
  local bufs = buffers(conflict)
  return {
    bufs = bufs,
    titles = titles(conflict.cause == 'disk' and 'theirs, on disk' or 'theirs'),
    chat = conflict.chat,
    path = conflict.path,
    tick = api.nvim_buf_get_changedtick(bufs[2]),
  }
end

-- The user may have deleted a buffer. An edited result stays as it is, if it is not the one.
---@param conflict acp.Conflict
---@param key string
---@return acp.ConflictSplit
local function find_split(conflict, key)
  local known = open[key]
  if known and vim.iter(known.bufs):all(api.nvim_buf_is_loaded) then
    return known
  end
  local edited = known and is_changed(known) and api.nvim_buf_get_lines(known.bufs[2], 0, -1, false)
  if known then
    drop(key)
  end
  open[key] = create_split(conflict)
  if edited then
    api.nvim_buf_set_lines(open[key].bufs[2], 0, -1, false, edited)
  end
  return open[key]
end

---@param state acp.ConflictSplit
---@return integer|nil window of the result
local function find_result(state)
  local is_open = state.tab and api.nvim_tabpage_is_valid(state.tab)
  return vim.iter(is_open and api.nvim_tabpage_list_wins(state.tab) or {}):find(function(win)
    return api.nvim_win_get_buf(win) == state.bufs[2]
  end)
end

--- Opens a conflict on a tab page of its own. Edits from an earlier visit are still there.
---@param conflict acp.Conflict
function M.open(conflict)
  local state = find_split(conflict, key_of(conflict))
  local win = find_result(state)
  if win then
    return api.nvim_set_current_win(win)
  end
  hide(state)
  show(state)
end

-- Keeps an edited result open after the question was closed, so that the user can save it elsewhere.
local function keep(state, reason)
  local result = state.bufs[2]
  state.ended = reason
  vim.bo[result].modified = true
  vim.bo[result].buflisted = true
  state.titles[2] = { ' will not be applied', ':w {file} saves it', reason }
  draw_titles(state)
  -- A window that shows the buffer again gets the title that the last one had.
  api.nvim_create_autocmd('BufWinEnter', {
    buffer = result,
    callback = function()
      draw_titles(state)
    end,
  })
  local message = 'the merge of %s will not be applied: %s; :w {file} saves the text'
  local name = vim.fs.basename(state.path)
  require('acp.messages').warn(message:format(name, reason))
end

---@param key string
---@param reason? string why it ended without the result; nil: the result was applied
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

--- The conflict is resolved, or its question was withdrawn.
---@param conflict { chat: integer, id: integer, reason?: string }
function M.close(conflict)
  finish_split(key_of(conflict), conflict.reason)
end

--- A chat was closed, and with it its questions.
---@param chat integer
function M.forget(chat)
  for key, state in pairs(open) do
    if state.chat == chat then
      finish_split(key, 'its chat was closed')
    end
  end
end

--- The host has exited, and with it its questions.
function M.on_host_exit()
  for key in pairs(open) do
    finish_split(key, 'the host that asked has exited')
  end
end

return M
