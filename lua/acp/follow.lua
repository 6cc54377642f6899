--- A window that shows what the agent works on.
local M = {}

local api = vim.api
local pause_ms = 150

---@class acp.FollowPlace
---@field chat integer
---@field path string
---@field line? integer

---@type boolean|nil what the user said last; unset: the option
local is_on
---@type integer|nil the window that follows
local window
---@type acp.FollowPlace|nil where to go next
local next_place
local is_waiting = false

function M.is_on()
  if is_on == nil then
    return require('acp.config').get().follow
  end
  return is_on
end

local function is_usable(win)
  local buf = api.nvim_win_get_buf(win)
  return api.nvim_win_get_config(win).relative == ''
    and not vim.wo[win].winfixbuf
    and vim.bo[buf].buftype == ''
    and (vim.o.hidden or not vim.bo[buf].modified)
end

-- Beside a window of the user, but not the one they are in: that would shrink. Else beside the chat.
---@return integer|nil
local function open_window()
  local current = api.nvim_get_current_win()
  local usable = vim.tbl_filter(is_usable, api.nvim_tabpage_list_wins(0))
  local free = vim.tbl_filter(function(win)
    return win ~= current
  end, usable)
  local chat = require('acp.chats').current()
  local ours = chat and chat.buf and vim.fn.bufwinid(chat.buf) or -1
  local place = { split = 'below', win = free[1] }
  if not free[1] then
    place = { split = #usable > 0 and 'above' or 'left', win = ours }
  end
  if place.win == -1 then
    return nil
  end
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  return api.nvim_open_win(buf, false, place)
end

--- The window that follows; a new one when none was chosen. Never the one the user is in.
---@return integer|nil
local function target()
  if window and not api.nvim_win_is_valid(window) then
    window, is_on = nil, false
    require('acp.notice').say('the agent is not followed any more; :AcpFollow follows it again')
    return nil
  end
  if not window then
    window = open_window()
    return window
  end
  return window ~= api.nvim_get_current_win() and is_usable(window) and window or nil
end

---@param place acp.FollowPlace
local function show(place)
  local is_file = not require('acp.places').trouble_with(place.path)
    and vim.fn.isdirectory(place.path) == 0
  local win = is_file and target()
  if not win then
    return
  end
  local buf = require('acp.places').buffer_of(place.path)
  local messages = vim.o.shortmess
  -- That another Neovim has it open is nothing to be asked about now.
  vim.opt.shortmess:append('A')
  pcall(vim.fn.bufload, buf)
  vim.o.shortmess = messages
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_win_set_buf(win, buf)
  end
  if place.line then
    local last = api.nvim_buf_line_count(buf)
    api.nvim_win_set_cursor(win, { math.max(1, math.min(place.line, last)), 0 })
    api.nvim_win_call(win, function()
      vim.cmd('normal! zvzz')
    end)
  end
end

-- Of several agents only the one of the chat that is in use: a window can't be in two places.
local function is_meant(place)
  local chat = require('acp.chats').current()
  return M.is_on() and chat ~= nil and chat.id == place.chat
end

--- The agent works at another place. Many at once lead to the last of them.
---@param place acp.FollowPlace
function M.to(place)
  if not is_meant(place) then
    return
  end
  next_place = place
  if is_waiting then
    return
  end
  is_waiting = true
  vim.defer_fn(function()
    is_waiting = false
    local place_now = next_place
    next_place = nil
    if place_now and is_meant(place_now) then
      pcall(show, place_now)
    end
  end, pause_ms)
end

--- Begins to follow in this window, or in one of its own when this one is not for files; or stops it.
function M.toggle()
  is_on = not M.is_on()
  local current = api.nvim_get_current_win()
  window = is_on and is_usable(current) and current or nil
  local where = window and 'this window follows the agent while you are in another'
    or 'a window of its own follows the agent'
  require('acp.notice').say((is_on and where or 'the agent is not followed any more'))
end

return M
