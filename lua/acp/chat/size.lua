--- Where the windows of a chat open and how large they are. `size` applies again whenever the screen has another size,
--- unless the user has resized the chat.
local M = {}

local api = vim.api
local min_width, min_height = 30, 8

---@class acp.ChatSize
---@field chat acp.Chat
---@field is_beside boolean beside other windows, not above or below them
---@field screen integer columns or lines of the screen
---@field cells integer columns or lines of the chat
---@field wanted integer what it has again when windows have opened, closed or moved
---@field layout any the windows of its tab page, as of |winlayout()|
---@field is_of_user? boolean the user has resized it

---@type table<integer, acp.ChatSize> by window of a transcript
local sizes = {}

local function is_beside()
  local position = require('acp.config').get().position
  return position == 'right' or position == 'left'
end

local function screen_size(beside)
  return beside and vim.o.columns or vim.o.lines
end

local function wanted_size(beside)
  local size = require('acp.config').get().size
  local total, minimum = screen_size(beside), beside and min_width or min_height
  local cells = size < 1 and math.floor(total * size) or math.floor(size)
  return math.max(minimum, math.min(cells, total - minimum))
end

---@return vim.api.keyset.win_config
function M.layout()
  local splits = { right = 'right', left = 'left', top = 'above', bottom = 'below' }
  local config = { split = splits[require('acp.config').get().position], win = -1 }
  config[is_beside() and 'width' or 'height'] = wanted_size(is_beside())
  return config
end

--- Shares the width that is left among the windows of the user, as a split does with 'equalalways'. Neovim takes all
--- of the width of a chat from the window beside it.
---@param win integer of the transcript; its width is fixed
function M.share_rest(win)
  if not vim.o.equalalways or not is_beside() then
    return
  end
  -- Neovim 0.10 opens a narrower window if the one beside it has too little room.
  api.nvim_win_set_width(win, wanted_size(true))
  vim.cmd('horizontal wincmd =')
end

-- The rows of the prompt and of the line above it. What the prompt grows the transcript shrinks.
---@param chat acp.Chat
---@param win integer
local function prompt_rows(chat, win)
  for _, other in ipairs(api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(win))) do
    if api.nvim_win_get_buf(other) == chat.prompt then
      return api.nvim_win_get_height(other) + 1
    end
  end
  return 0
end

---@param win integer
---@param record acp.ChatSize
---@return integer
local function size_of(win, record)
  if record.is_beside then
    return api.nvim_win_get_width(win)
  end
  return api.nvim_win_get_height(win) + prompt_rows(record.chat, win)
end

---@param win integer
---@return integer[] the windows of its tab page but floats
local function windows_beside(win)
  return vim.tbl_filter(function(other)
    return api.nvim_win_get_config(other).relative == ''
  end, api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(win)))
end

---@param win integer
---@return any
local function layout_around(win)
  return vim.fn.winlayout(api.nvim_tabpage_get_number(api.nvim_win_get_tabpage(win)))
end

---@param win integer
---@param record acp.ChatSize
local function note(win, record)
  record.screen, record.cells = screen_size(record.is_beside), size_of(win, record)
  record.layout = layout_around(win)
end

---@param win integer
---@param record acp.ChatSize
local function apply(win, record)
  if record.is_beside then
    api.nvim_win_set_width(win, record.wanted)
  else
    local height = record.wanted - prompt_rows(record.chat, win)
    require('acp.ui.windows').set_height(win, math.max(1, height))
  end
  note(win, record)
end

local function is_here(win)
  return api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage()
end

-- The last window of Neovim shows a file after its chat was closed.
---@param win integer
---@param record acp.ChatSize
local function is_shown(win, record)
  return api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == record.chat.buf
end

---@param callback fun(win: integer, record: acp.ChatSize) called for windows of this tab page
local function each_here(callback)
  for win, record in pairs(sizes) do
    if not is_shown(win, record) then
      sizes[win] = nil
    elseif is_here(win) then
      callback(win, record)
    end
  end
end

-- On a screen that became too low for its windows with 'winfixheight', Neovim leaves the last ones below the screen, so
-- each message waits for a key.
local function fit_into_screen()
  local statusline = vim.o.laststatus > 0 and 1 or 0
  local last = vim.o.lines - vim.o.cmdheight - statusline
  local is_too_low = vim.iter(windows_beside(0)):any(function(win)
    return api.nvim_win_get_position(win)[1] + api.nvim_win_get_height(win) > last
  end)
  if is_too_low then
    vim.cmd('wincmd =')
  end
end

-- Neovim resizes the windows of other tab pages when they are entered.
local function on_screen_resized()
  fit_into_screen()
  each_here(function(win, record)
    if record.screen == screen_size(record.is_beside) then
      return
    elseif record.is_of_user then
      note(win, record)
      record.wanted = record.cells
    else
      record.wanted = wanted_size(record.is_beside)
      apply(win, record)
    end
  end)
end

---@param win integer
---@return boolean whether it alone shows the transcript
local function is_only_one(win)
  local buf = api.nvim_win_get_buf(win)
  return vim.iter(windows_beside(win)):all(function(other)
    return other == win or api.nvim_win_get_buf(other) ~= buf
  end)
end

-- The size has changed although that of the screen has not: the user has resized the chat, unless windows have opened,
-- closed or moved.
local function on_window_resized()
  each_here(function(win, record)
    if record.screen ~= screen_size(record.is_beside) then
      return
    end
    local is_resized = record.cells ~= size_of(win, record)
    local is_same = vim.deep_equal(record.layout, layout_around(win))
    note(win, record)
    if is_resized and is_same then
      record.is_of_user, record.wanted = true, record.cells
    elseif is_resized and record.is_beside and is_only_one(win) then
      apply(win, record)
    end
  end)
end

--- The chat was moved to another place.
---@param chat acp.Chat
---@param win integer of the transcript
function M.on_moved(chat, win)
  local beside = api.nvim_win_get_width(win) < vim.o.columns
  local record = sizes[win]
  if not record or record.is_beside ~= beside then
    record = { chat = chat, is_beside = beside, wanted = wanted_size(beside) }
    sizes[win] = record
  end
  apply(win, record)
end

--- Keeps the size of a chat that was opened with the layout.
---@param chat acp.Chat
---@param win integer of the transcript
function M.keep(chat, win)
  sizes[win] = { chat = chat, is_beside = is_beside(), wanted = wanted_size(is_beside()) }
  note(win, sizes[win])
  require('acp.ui.autocommands').group_once('chat.size', function(on)
    on({ 'VimResized', 'TabEnter' }, on_screen_resized)
    on('WinResized', on_window_resized)
  end)
end

return M
