--- The windows of a review: the list of files above, one file below, beside it what it was.
local M = {}

local api = vim.api
local set_options = require('acp.ui.window_options').set_local
local max_share = 4

local function create_buffer(name)
  local buf = api.nvim_create_buf(false, true)
  require('acp.ui.buffer_names').set(buf, name)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].modifiable = false
  return buf
end

--- Replaces the text of a buffer of the review.
---@param buf integer
---@param lines string[]
function M.set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

---@return boolean whether hunks are marked in the file, and no window shows what it was
function M.is_inline()
  return require('acp.config').get().review == 'inline'
end

--- Whether the window of the file shows it: the user may have gone to another file there, or closed the window.
---@param review acp.Review
---@return boolean
function M.shows_file(review)
  return api.nvim_win_is_valid(review.now) and api.nvim_win_get_buf(review.now) == review.file
end

---@param review acp.Review
---@return integer row of the cursor in the file, or where the user has left it; 0-based
function M.cursor_row(review)
  if M.shows_file(review) then
    return api.nvim_win_get_cursor(review.now)[1] - 1
  end
  local is_loaded = review.file and api.nvim_buf_is_loaded(review.file)
  return is_loaded and math.max(0, api.nvim_buf_get_mark(review.file, '"')[1] - 1) or 0
end

local function list_height(buf)
  local height = api.nvim_buf_line_count(buf) - 1
  return math.max(2, math.min(height, math.floor(vim.o.lines / max_share)))
end

local function draw_hint(win)
  local hint = require('acp.review.keys').hint(api.nvim_win_get_width(win) - 2)
  local statusline = ('%%#AcpSeparator#%%=%%#AcpMuted#%s%%#AcpSeparator#──'):format(hint)
  require('acp.ui.window_options').set(win, { statusline = statusline })
end

local function open_list(list, below)
  local config = { split = 'above', win = below, height = list_height(list) }
  local win = api.nvim_open_win(list, true, config)
  require('acp.ui.window_options').set(win, {
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
    fillchars = 'eob: ,stl:─,stlnc:─',
    winhighlight = 'StatusLine:AcpSeparator,StatusLineNC:AcpSeparator',
  })
  require('acp.ui.windows.kept').keep_until_closed(win)
  draw_hint(win)
  require('acp.ui.autocommands').group('review.hint.' .. list)('WinResized', function()
    local is_open = api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == list
    if is_open then
      draw_hint(win)
    end
    -- The autocommand ends with the window.
    return not is_open
  end)
  return win
end

local function create_list(chat, on_drawn)
  local buf = api.nvim_create_buf(false, true)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.of_chat(chat, 'review'))
  require('acp.chat.frames').prepare(buf, on_drawn)
  require('acp.ui.windows').set_filetype(buf, 'acp-review')
  chat.review = buf
  return buf
end

--- Opens the windows of a review on a tab page of their own.
---@param chat acp.Chat
---@param on_drawn fun() called after each frame of the list
---@return { tab: integer, list: integer, now: integer, before?: integer, old: integer, empty: integer }
function M.open(chat, on_drawn)
  local list = create_list(chat, on_drawn)
  local names = require('acp.ui.buffer_names')
  local old = create_buffer(names.of_chat(chat, 'review-before'))
  local empty = create_buffer(names.of_chat(chat, 'review-now'))
  local tab = require('acp.ui.return_tab').open(empty)
  local now = api.nvim_get_current_win()
  local list_win = open_list(list, now)
  local before
  if not M.is_inline() then
    before = api.nvim_open_win(old, false, { split = 'left', win = now })
  end
  return { tab = tab, list = list_win, now = now, before = before, old = old, empty = empty }
end

--- Opens the window of the file again if the user has closed it.
---@param review acp.Review
function M.ensure_now(review)
  if api.nvim_win_is_valid(review.now) then
    return
  end
  if review.before and api.nvim_win_is_valid(review.before) then
    local beside = { split = 'right', win = review.before }
    review.now = api.nvim_open_win(review.empty, false, beside)
  else
    local below = { split = 'below', win = review.list }
    review.now = api.nvim_open_win(review.empty, false, below)
    require('acp.ui.window_options').reset(review.now)
    M.fit_list(review)
    vim.fn.win_execute(review.list, 'normal! zb')
  end
  -- It has the options of the window that it was split from.
  api.nvim_win_call(review.now, vim.cmd.diffoff)
  set_options(review.now, { winbar = '', statusline = '' })
end

--- Ends the diff of a file that the window has shown before, and that the user has gone back to.
---@param review acp.Review
function M.leave_others(review)
  local is_now = api.nvim_get_current_win() == review.now
  if is_now and vim.wo.diff and api.nvim_get_current_buf() ~= review.file then
    vim.cmd.diffoff()
    set_options(review.now, { winbar = '' })
  end
end

--- Moves the cursor of the list to the file that is shown.
---@param review acp.Review
function M.select_in_list(review)
  local last = api.nvim_buf_line_count(review.chat.review)
  api.nvim_win_set_cursor(review.list, { math.min(review.line + 1, last), 0 })
end

--- Makes the list as high as its text, up to a quarter of the screen.
---@param review acp.Review
function M.fit_list(review)
  if not api.nvim_win_is_valid(review.list) then
    return
  end
  require('acp.ui.windows').set_height(review.list, list_height(review.chat.review))
  -- Replacing all lines moves the cursor behind them.
  if api.nvim_win_get_cursor(review.list)[1] == api.nvim_buf_line_count(review.chat.review) then
    M.select_in_list(review)
    vim.fn.win_execute(review.list, 'normal! zb')
  end
end

--- Shows the titles of both sides.
---@param review acp.Review
---@param name string of the file
function M.set_titles(review, name)
  set_options(review.before, { winbar = ' before', statusline = ' before' })
  set_options(review.now, { winbar = ' ' .. require('acp.ui.winbar').escape(name) })
end

--- Removes the title of the file: the next window that shows the file would inherit it.
---@param review acp.Review
function M.clear_title(review)
  if api.nvim_win_is_valid(review.now) then
    set_options(review.now, { winbar = '' })
  end
end

---@type table<integer, boolean> 'foldenable' of windows before their diff
local had_folds = {}

-- Where folds are made by hand, `:diffoff` keeps those of the diff and turns 'foldenable' off, and the next window that
-- shows the file would inherit both.
---@param win integer
local function end_diff(win)
  vim.cmd.diffoff()
  if had_folds[win] ~= nil and vim.wo[win].foldmethod == 'manual' then
    vim.cmd('silent! normal! zE')
    set_options(win, { foldenable = had_folds[win] })
  end
  had_folds[win] = nil
end

---@param win integer
local function begin_diff(win)
  if not vim.wo[win].diff then
    had_folds[win] = vim.wo[win].foldenable
  end
  vim.cmd.diffthis()
end

--- Switches diff mode of both sides.
---@param review acp.Review
---@param is_on boolean
function M.set_diff(review, is_on)
  for _, win in pairs({ review.before, review.now }) do
    if api.nvim_win_is_valid(win) then
      api.nvim_win_call(win, function()
        (is_on and begin_diff or end_diff)(win)
      end)
    end
  end
end

return M
