--- Where the windows of a chat open and how large they are. `size` applies again whenever the screen has another size,
--- unless the user has resized the chat.
local M = {}

local api = vim.api
local min_width, min_height = 30, 8

---@class acp.ChatSize
---@field chat acp.Chat
---@field screen integer columns or lines of the screen
---@field cells integer columns or lines of the chat
---@field is_of_user? boolean the user has resized it

---@type table<integer, acp.ChatSize> by window of a transcript
local sizes = {}

local function is_beside()
  local position = require('acp.config').get().position
  return position == 'right' or position == 'left'
end

local function screen_size()
  return is_beside() and vim.o.columns or vim.o.lines
end

local function wanted_size()
  local size = require('acp.config').get().size
  local total, minimum = screen_size(), is_beside() and min_width or min_height
  local cells = size < 1 and math.floor(total * size) or math.floor(size)
  return math.max(minimum, math.min(cells, total - minimum))
end

---@return vim.api.keyset.win_config
function M.layout()
  local splits = { right = 'right', left = 'left', top = 'above', bottom = 'below' }
  local config = { split = splits[require('acp.config').get().position], win = -1 }
  config[is_beside() and 'width' or 'height'] = wanted_size()
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
  api.nvim_win_set_width(win, wanted_size())
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
---@param chat acp.Chat
---@return integer
local function size_of(win, chat)
  if is_beside() then
    return api.nvim_win_get_width(win)
  end
  return api.nvim_win_get_height(win) + prompt_rows(chat, win)
end

---@param win integer
---@param record acp.ChatSize
local function apply(win, record)
  if is_beside() then
    api.nvim_win_set_width(win, wanted_size())
  else
    local height = wanted_size() - prompt_rows(record.chat, win)
    require('acp.ui.windows').set_height(win, math.max(1, height))
  end
end

-- Neovim resizes the windows of other tab pages when they are entered.
local function on_screen_resized()
  for win, record in pairs(sizes) do
    local is_valid = api.nvim_win_is_valid(win)
    local is_here = is_valid and api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage()
    if not is_valid then
      sizes[win] = nil
    elseif is_here and record.screen ~= screen_size() then
      if not record.is_of_user then
        apply(win, record)
      end
      record.screen, record.cells = screen_size(), size_of(win, record.chat)
    end
  end
end

-- The size has changed although that of the screen has not.
local function on_window_resized()
  for win, record in pairs(sizes) do
    if not api.nvim_win_is_valid(win) then
      sizes[win] = nil
    elseif record.screen == screen_size() then
      local cells = size_of(win, record.chat)
      record.is_of_user = record.is_of_user or cells ~= record.cells
      record.cells = cells
    end
  end
end

local is_watching = false

--- Keeps the size of a chat that was opened with the layout.
---@param chat acp.Chat
---@param win integer of the transcript
function M.keep(chat, win)
  sizes[win] = { chat = chat, screen = screen_size(), cells = size_of(win, chat) }
  if is_watching then
    return
  end
  is_watching = true
  local group = api.nvim_create_augroup('acp.chat.size', {})
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'VimResized', 'TabEnter' }, on_screen_resized)
  on('WinResized', on_window_resized)
end

return M
