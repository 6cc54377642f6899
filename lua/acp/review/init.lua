--- The review of the changes of a session, on a tab page of its own. The host decides what it shows.
local M = {}

local api = vim.api
local windows, hunks = require('acp.review.windows'), require('acp.review.hunks')

---@class acp.Review
---@field chat acp.Chat
---@field tab integer
---@field list integer window of the files
---@field now integer window of the file as it is
---@field before? integer window of what it was
---@field old integer buffer of what it was
---@field empty integer buffer that stands for a file without lines
---@field path? string the file that is shown
---@field moves integer how often the host has moved the cursor: keys typed before a move are about another hunk
---@field line integer the line of that file in the list
---@field hunks acp.ReviewHunk[] of the file that is shown
---@field file? integer its buffer
---@field mapped table<integer, string[]> keys in buffers of the user
---@field group integer

---@type table<integer, acp.Review> by chat
local reviews = {}

---@param review acp.Review
local function leave_file(review)
  local buf = review.file
  windows.set_diff(review, false)
  windows.clear_title(review)
  if buf and api.nvim_buf_is_valid(buf) then
    hunks.clear(buf)
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
  for _, buf in pairs({ review.old, review.empty }) do
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
  require('acp.host').notify_if_running('review.hide', { chat = review.chat.id })
end

---@param review acp.Review
---@param list integer buffer
local function watch(review, list)
  api.nvim_create_autocmd('WinClosed', {
    group = review.group,
    callback = function(args)
      if args.match == tostring(review.now) then
        windows.clear_title(review)
      end
    end,
  })
  api.nvim_create_autocmd('BufEnter', {
    group = review.group,
    callback = function()
      windows.leave_others(review)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = review.group,
    buffer = list,
    callback = function()
      require('acp.chat.frames').forget(list)
      vim.schedule(function()
        end_review(review)
      end)
    end,
  })
  require('acp.ui.autocommands').on_edit(list, function()
    require('acp.host').notify_if_running('review.redraw', { chat = review.chat.id })
  end)
end

--- Opens the windows; the host fills them.
---@param chat acp.Chat
function M.open(chat)
  local review = reviews[chat.id]
  if review and api.nvim_win_is_valid(review.list) then
    return api.nvim_set_current_win(review.list)
  end
  vim.cmd.stopinsert()
  local opened = windows.open(chat, function()
    if reviews[chat.id] then
      windows.fit_list(reviews[chat.id])
    end
  end)
  review = vim.tbl_extend('error', opened, {
    chat = chat,
    mapped = {},
    moves = 0,
    line = 1,
    hunks = {},
    group = api.nvim_create_augroup('acp.review.' .. chat.id, {}),
  })
  reviews[chat.id] = review
  for _, buf in ipairs({ chat.review, review.old, review.empty }) do
    require('acp.review.keys').map(review, buf)
  end
  watch(review, chat.review)
end

---@param review acp.Review
local function enter_file(review, buf)
  leave_file(review)
  review.file = buf
  -- Neovim may ask about a swap file here; the host does not wait for the answer.
  api.nvim_win_set_buf(review.now, buf)
  local prefix = require('acp.config').get().keys.review_prefix
  if buf ~= review.empty and prefix then
    review.mapped[buf] = require('acp.review.keys').map(review, buf, prefix)
  end
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = review.group,
    buffer = buf,
    callback = function()
      require('acp.host').notify_if_running('review.refresh', { chat = review.chat.id })
    end,
  })
  api.nvim_create_autocmd('CursorMoved', {
    group = review.group,
    buffer = buf,
    callback = function()
      hunks.mark_current(review)
    end,
  })
end

---@class acp.ReviewFile
---@field chat integer
---@field path string
---@field name string
---@field kind 'text'|'none'|'binary'
---@field before string[]
---@field hunks acp.ReviewHunk[]
---@field line integer of the list
---@field row? integer where to go
---@field moves integer how often the host has moved the cursor, this one included

-- The buffer of the file, or ours for a file without lines.
local function buffer_for(review, shown)
  if shown.kind ~= 'text' then
    windows.set_lines(review.empty, shown.kind == 'none' and {} or { 'Binary file' })
    return review.empty
  end
  return require('acp.ui.open_file').buffer_of(shown.path)
end

-- Shows what changed: marks in the file, or both sides in diff mode.
---@param review acp.Review
---@param shown acp.ReviewFile
---@param is_other boolean another file was shown before
local function show_changes(review, shown, is_other)
  if windows.is_inline() then
    if shown.kind ~= 'binary' then
      hunks.show_inline(review.file, shown)
    end
    return
  end
  if is_other and review.before and api.nvim_win_is_valid(review.before) then
    require('acp.review.colours').copy(review.old, review.file, shown.path)
    windows.set_diff(review, shown.kind ~= 'binary')
    windows.set_titles(review, shown.name)
  end
  vim.cmd.diffupdate()
end

--- Shows a file: what it was beside what it is, or its hunks in the file itself.
---@param shown acp.ReviewFile
function M.show(shown)
  local review = reviews[shown.chat]
  if not review or not (api.nvim_win_is_valid(review.now) or shown.row) then
    return
  end
  windows.ensure_now(review)
  local buf = buffer_for(review, shown)
  local is_left = shown.row and not windows.shows_file(review)
  local is_other = is_left or review.file ~= buf or review.path ~= shown.path
  review.path = shown.path
  review.moves = shown.moves
  if not vim.deep_equal(api.nvim_buf_get_lines(review.old, 0, -1, false), shown.before) then
    windows.set_lines(review.old, shown.before)
  end
  if is_other then
    enter_file(review, buf)
  end
  show_changes(review, shown, is_other)
  review.hunks, review.line = shown.hunks, shown.line
  if shown.row then
    hunks.go_to(review, shown.row)
    windows.select_in_list(review)
  end
  hunks.mark_current(review)
end

---@param chat acp.Chat
function M.close(chat)
  local review = reviews[chat.id]
  if not review then
    return
  end
  end_review(review)
  require('acp.ui.return_tab').close(review.tab)
end

--- Puts every hunk into the quickfix list.
---@param payload { title: string, items: table[] }
function M.quickfix(payload)
  vim.fn.setqflist({}, ' ', { title = payload.title, items = payload.items })
  vim.cmd('botright copen')
end

return M
