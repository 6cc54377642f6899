--- The changes of a session, on a tab page of their own: the files above, the diff of one of them below.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.review')
local here_ns = api.nvim_create_namespace('acp.review.here')
local max_share = 4

---@class acp.Review
---@field chat acp.Chat
---@field tab integer
---@field list integer window of the files
---@field now integer window of the file as it is
---@field before? integer window of what it was
---@field old integer buffer of what it was
---@field gone? integer buffer that stands for a file without lines
---@field is_drawn? boolean the list was filled
---@field path? string the file that is shown
---@field moves integer how many times the user was brought somewhere
---@field line integer the line of that file in the list
---@field hunks acp.ReviewHunk[] of the file that is shown
---@field file? integer its buffer
---@field mapped table<integer, string[]> keys in buffers of the user
---@field group integer

---@type table<integer, acp.Review> by chat
local reviews = {}

local function host()
  return require('acp.host')
end

local function is_inline()
  return require('acp.config').get().review == 'inline'
end

local function scratch(name)
  local buf = api.nvim_create_buf(false, true)
  require('acp.names').set(buf, name)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].modifiable = false
  return buf
end

local function set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

---@param review acp.Review
---@return integer row in the file, from 0
local function row_of(review)
  if not api.nvim_win_is_valid(review.now) then
    return 0
  end
  return api.nvim_win_get_cursor(review.now)[1] - 1
end

---@param review acp.Review
local function send(review, op, payload)
  local about = { chat = review.chat.id, row = row_of(review), moves = review.moves }
  host().notify('review.' .. op, vim.tbl_extend('force', about, payload or {}))
end

-- In the list a file is meant by its line, elsewhere it is the one that is shown.
local function line_of(review)
  if api.nvim_get_current_win() == review.list then
    return api.nvim_win_get_cursor(review.list)[1] - 1
  end
end

local function decide(verdict, what)
  return function(review)
    send(review, 'decide', { verdict = verdict, what = what, line = line_of(review) })
  end
end

local function go(step)
  return function(review)
    send(review, 'go', { step = step })
  end
end

---@type { option: string, desc: string, run: fun(review: acp.Review), is_list?: boolean }[]
M.keys = {
  { option = 'review_next', desc = 'next hunk', run = go(1) },
  { option = 'review_previous', desc = 'previous hunk', run = go(-1) },
  { option = 'review_keep', desc = 'keep the hunk', run = decide('keep', 'hunk') },
  { option = 'review_reject', desc = 'reject the hunk', run = decide('reject', 'hunk') },
  { option = 'review_keep_file', desc = 'keep the file', run = decide('keep', 'file') },
  { option = 'review_reject_file', desc = 'reject the file', run = decide('reject', 'file') },
  { option = 'review_keep_all', desc = 'keep all', run = decide('keep', 'all') },
  { option = 'review_reject_all', desc = 'reject all', run = decide('reject', 'all') },
  {
    option = 'review_undo',
    desc = 'take that back',
    run = function(review)
      send(review, 'undo')
    end,
  },
  {
    option = 'review_close',
    desc = 'close the review',
    run = function(review)
      M.close(review.chat)
    end,
  },
  {
    option = 'review_open',
    desc = 'show the file',
    is_list = true,
    run = function(review)
      send(review, 'choose', { line = line_of(review) })
    end,
  },
}

---@param review acp.Review
---@param buf integer
---@param prefix string what stands before the keys that have another meaning in a text
local function map(review, buf, prefix)
  local keys, mapped = require('acp.config').get().keys, {}
  for _, key in ipairs(M.keys) do
    local lhs = keys[key.option]
    local is_motion = lhs and lhs:match('^[%[%]]')
    if lhs and not (key.is_list and prefix ~= '') then
      lhs = is_motion and lhs or prefix .. lhs
      local there = api.nvim_buf_call(buf, function()
        return vim.fn.maparg(lhs, 'n', false, true)
      end)
      -- What the user has mapped there stays.
      if prefix == '' or there.buffer ~= 1 then
        vim.keymap.set('n', lhs, function()
          key.run(review)
        end, { buffer = buf, desc = 'acp: ' .. key.desc, nowait = true })
        table.insert(mapped, lhs)
      end
    end
  end
  return mapped
end

local function style(win, options)
  for name, value in pairs(options) do
    api.nvim_set_option_value(name, value, { win = win, scope = 'local' })
  end
end

-- Else the next window that shows the file would have its title too.
local function untitle(win)
  if api.nvim_win_is_valid(win) then
    style(win, { winbar = '' })
  end
end

---@param review acp.Review
local function leave_file(review)
  local buf = review.file
  for _, win in pairs({ review.before, review.now }) do
    if api.nvim_win_is_valid(win) then
      api.nvim_win_call(win, function()
        vim.cmd.diffoff()
      end)
    end
  end
  untitle(review.now)
  if buf and api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    api.nvim_buf_clear_namespace(buf, here_ns, 0, -1)
    for _, lhs in ipairs(review.mapped[buf] or {}) do
      pcall(vim.keymap.del, 'n', lhs, { buffer = buf })
    end
  end
  if buf then
    review.mapped[buf] = nil
  end
  api.nvim_clear_autocmds({
    group = review.group,
    event = { 'TextChanged', 'InsertLeave', 'CursorMoved' },
  })
  review.file = nil
end

---@param review acp.Review
local function end_review(review)
  if reviews[review.chat.id] ~= review then
    return
  end
  reviews[review.chat.id] = nil
  review.chat.review = nil
  leave_file(review)
  pcall(api.nvim_del_augroup_by_id, review.group)
  for _, buf in pairs({ review.old, review.gone }) do
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
  host().mention('review.hide', { chat = review.chat.id })
end

local function list_height(buf)
  local height = api.nvim_buf_line_count(buf) - 1
  return math.max(2, math.min(height, math.floor(vim.o.lines / max_share)))
end

-- What is meant in the list is the file that is shown, until the user goes to another.
local function follow_in_list(review)
  local last = api.nvim_buf_line_count(review.chat.review)
  api.nvim_win_set_cursor(review.list, { math.min(review.line + 1, last), 0 })
end

--- As high as its text, up to a quarter of the screen.
---@param chat acp.Chat
function M.fit(chat)
  local review = reviews[chat.id]
  if review and api.nvim_win_is_valid(review.list) then
    require('acp.window').set_height(review.list, list_height(chat.review))
    -- Replacing the lines carries the cursor to their end.
    if not review.is_drawn then
      review.is_drawn = true
      follow_in_list(review)
      vim.fn.win_execute(review.list, 'normal! zb')
    end
  end
end

---@param chat acp.Chat
local function create_list(chat)
  local buf = api.nvim_create_buf(false, true)
  require('acp.names').set(buf, ('acp://%s/%d/review'):format(chat.agent, chat.id))
  vim.bo[buf].bufhidden = 'wipe'
  require('acp.render').prepare(buf)
  chat.review = buf
  require('acp.window').set_filetype(buf, 'acp-review')
  return buf
end

---@param review acp.Review
local function watch(review, list)
  api.nvim_create_autocmd('WinClosed', {
    group = review.group,
    pattern = tostring(review.now),
    callback = function()
      untitle(review.now)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = review.group,
    buffer = list,
    callback = function()
      require('acp.render').forget(list)
      vim.schedule(function()
        end_review(review)
      end)
    end,
  })
end

local function hint()
  local keys, parts = require('acp.config').get().keys, {}
  local shown = {
    { 'next hunk', keys.review_next, keys.review_previous },
    { 'keep', keys.review_keep, keys.review_keep_file },
    { 'reject', keys.review_reject, keys.review_reject_file },
    { 'take back', keys.review_undo },
    { 'close', keys.review_close },
  }
  for _, key in ipairs(shown) do
    local names = vim.tbl_filter(function(name)
      return type(name) == 'string'
    end, { unpack(key, 2, 3) })
    if #names > 0 then
      table.insert(parts, table.concat(names, ' ') .. ' ' .. key[1])
    end
  end
  local text = ' ' .. table.concat(parts, ' · ') .. ' '
  return (text:gsub('%%', '%%%%'))
end

--- Opens the windows; the host fills them.
---@param chat acp.Chat
function M.open(chat)
  local review = reviews[chat.id]
  if review and api.nvim_win_is_valid(review.list) then
    return api.nvim_set_current_win(review.list)
  end
  vim.cmd.stopinsert()
  local list = create_list(chat)
  local name = ('acp://%s/%d/review/'):format(chat.agent, chat.id)
  local old, gone = scratch(name .. 'before'), scratch(name .. 'now')
  local tab = require('acp.tabs').open(gone)
  local now = api.nvim_get_current_win()
  local above = { split = 'above', win = now, height = list_height(list) }
  local list_win = api.nvim_open_win(list, true, above)
  style(list_win, {
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    statuscolumn = ' ',
    wrap = false,
    cursorline = true,
    spell = false,
    list = false,
    winfixheight = true,
    winfixbuf = true,
    fillchars = 'eob: ,stl:─,stlnc:─',
    statusline = ('%%#AcpSeparator#%%=%%<%%#AcpMuted#%s%%#AcpSeparator#──'):format(hint()),
    winhighlight = 'StatusLine:AcpSeparator,StatusLineNC:AcpSeparator',
  })
  local before
  if not is_inline() then
    before = api.nvim_open_win(old, false, { split = 'left', win = now })
  end
  review = {
    chat = chat,
    tab = tab,
    list = list_win,
    now = now,
    before = before,
    old = old,
    gone = gone,
    mapped = {},
    moves = 0,
    line = 1,
    hunks = {},
    group = api.nvim_create_augroup('acp.review.' .. chat.id, {}),
  }
  reviews[chat.id] = review
  for _, buf in ipairs({ list, old, gone }) do
    map(review, buf, '')
  end
  watch(review, list)
end

-- The hunk that a key would be about, also while the cursor is elsewhere.
---@param review acp.Review
local function mark_hunk(review)
  local buf, hunks = review.file, review.hunks
  if not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  api.nvim_buf_clear_namespace(buf, here_ns, 0, -1)
  if #hunks == 0 or buf == review.gone then
    return
  end
  local row, index = row_of(review), #hunks
  for at = #hunks, 1, -1 do
    if row < math.max(hunks[at].to, hunks[at].from + 1) then
      index = at
    end
  end
  local last = api.nvim_buf_line_count(buf) - 1
  local text = ('◂ %d/%d'):format(index, #hunks)
  api.nvim_buf_set_extmark(buf, here_ns, math.min(hunks[index].from, last), 0, {
    virt_text = { { text, 'AcpMuted' } },
    virt_text_pos = 'eol',
    hl_mode = 'combine',
  })
end

---@param review acp.Review
local function show_inline(review, hunks)
  local buf = review.file
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local last = api.nvim_buf_line_count(buf) - 1
  for _, hunk in ipairs(hunks) do
    for row = hunk.from, math.min(hunk.to - 1, last) do
      api.nvim_buf_set_extmark(buf, ns, row, 0, { line_hl_group = 'DiffAdd' })
    end
    if #hunk.removed > 0 then
      local lines = vim.tbl_map(function(line)
        return { { line == '' and ' ' or line, 'DiffDelete' } }
      end, hunk.removed)
      local is_below = hunk.from > last
      local options = { virt_lines = lines, virt_lines_above = not is_below }
      api.nvim_buf_set_extmark(buf, ns, math.min(hunk.from, last), 0, options)
    end
  end
end

-- The file in its own buffer; what has no lines is told in one of ours.
local function buffer_for(review, shown)
  if shown.kind ~= 'text' then
    set_lines(review.gone, shown.kind == 'none' and {} or { 'It is no text.' })
    return review.gone
  end
  return require('acp.places').buffer_of(shown.path)
end

---@param review acp.Review
local function enter_file(review, buf)
  leave_file(review)
  review.file = buf
  -- A file that somebody else edits asks; the host must not wait for the answer.
  api.nvim_win_set_buf(review.now, buf)
  if buf ~= review.gone then
    local prefix = require('acp.config').get().keys.review_prefix
    review.mapped[buf] = prefix and map(review, buf, prefix) or {}
  end
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = review.group,
    buffer = buf,
    callback = function()
      host().mention('review.touch', { chat = review.chat.id })
    end,
  })
  api.nvim_create_autocmd('CursorMoved', {
    group = review.group,
    buffer = buf,
    callback = function()
      mark_hunk(review)
    end,
  })
end

---@param review acp.Review
local function diff(review, is_on)
  for _, win in pairs({ review.before, review.now }) do
    api.nvim_win_call(win, function()
      vim.cmd(is_on and 'diffthis' or 'diffoff')
    end)
  end
end

local function centre(win, row)
  if win and api.nvim_win_is_valid(win) then
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
    api.nvim_win_set_cursor(win, { math.min(row + 1, last), 0 })
    api.nvim_win_call(win, function()
      -- Folds that the cursor had opened elsewhere are closed again, so that both sides stay level.
      vim.cmd('silent! normal! zXzvzz')
    end)
  end
end

local function restore_view(win, view)
  api.nvim_win_call(win, function()
    vim.fn.winrestview(view)
  end)
end

local function removed_above(shown)
  local first = shown.hunks[1]
  return first and first.from == 0 and #first.removed or 0
end

-- Lines that were removed above the first one; to centre that does not bring them into sight.
local function show_first_lines(review, shown)
  local missing, is_top = unpack(api.nvim_win_call(review.now, function()
    return { vim.fn.diff_filler(1), vim.fn.line('w0') == 1 }
  end))
  missing = is_inline() and removed_above(shown) or missing
  if missing == 0 or not is_top then
    return
  end
  local room = math.min(missing, api.nvim_win_get_height(review.now) - 1)
  restore_view(review.now, { topfill = room })
  if review.before and api.nvim_win_is_valid(review.before) then
    restore_view(review.before, { topline = missing - room + 1, lnum = missing - room + 1 })
  end
end

-- Both sides go: they are bound only while the cursor is in one of them.
local function go_to(review, shown)
  for _, hunk in ipairs(shown.hunks) do
    if hunk.from == shown.row then
      centre(review.before, hunk.old)
    end
  end
  centre(review.now, shown.row)
  show_first_lines(review, shown)
end

---@class acp.ReviewHunk
---@field from integer
---@field to integer
---@field old integer
---@field removed string[]

---@class acp.ReviewFile
---@field chat integer
---@field path string
---@field name string
---@field kind 'text'|'none'|'binary'
---@field before string[]
---@field hunks acp.ReviewHunk[]
---@field line integer of the list
---@field row? integer where to go
---@field moves integer how many times the user was brought somewhere, this one included

--- Shows a file: what it was beside what it is, or its hunks in the file itself.
---@param shown acp.ReviewFile
function M.show(shown)
  local review = reviews[shown.chat]
  if not review or not api.nvim_win_is_valid(review.now) then
    return
  end
  local buf = buffer_for(review, shown)
  local is_other = review.file ~= buf or review.path ~= shown.path
  review.path = shown.path
  review.moves = shown.moves
  if not vim.deep_equal(api.nvim_buf_get_lines(review.old, 0, -1, false), shown.before) then
    set_lines(review.old, shown.before)
  end
  if is_other then
    enter_file(review, buf)
  end
  if is_inline() then
    if shown.kind ~= 'binary' then
      show_inline(review, shown.hunks)
    end
  elseif is_other and review.before and api.nvim_win_is_valid(review.before) then
    vim.bo[review.old].syntax = vim.bo[buf].syntax
    diff(review, shown.kind ~= 'binary')
    style(review.before, { winbar = ' before', statusline = ' before' })
    style(review.now, { winbar = ' ' .. shown.name:gsub('%%', '%%%%') })
  end
  if not is_inline() then
    vim.cmd.diffupdate()
  end
  review.hunks, review.line = shown.hunks, shown.line
  if shown.row then
    go_to(review, shown)
    if review.is_drawn then
      follow_in_list(review)
    end
  end
  mark_hunk(review)
end

---@param chat acp.Chat
function M.close(chat)
  local review = reviews[chat.id]
  if not review then
    return
  end
  end_review(review)
  require('acp.tabs').close(review.tab)
end

--- Puts every hunk into the quickfix list.
function M.quickfix(payload)
  vim.fn.setqflist({}, ' ', { title = payload.title, items = payload.items })
  vim.cmd('botright copen')
end

return M
