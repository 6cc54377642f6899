--- The window that shows the file and line the agent works on.
local M = {}

local api = vim.api
local pause_ms = 150

---@class acp.FollowTarget
---@field chat integer
---@field path string
---@field line? integer

---@type boolean|nil set by |:AcpFollow|; unset: the option
local is_switched_on
---@type integer|nil the window that follows
local window
---@type acp.FollowTarget|nil where to go next
local next_target
local is_waiting = false

local function is_on()
  if is_switched_on == nil then
    return require('acp.config').get().follow
  end
  return is_switched_on
end

local function is_usable(win)
  local buf = api.nvim_win_get_buf(win)
  return api.nvim_win_get_config(win).relative == ''
    and not vim.wo[win].winfixbuf
    and vim.bo[buf].buftype == ''
    and (vim.o.hidden or not vim.bo[buf].modified)
end

-- Splits a window of the user, but not the current one, which would shrink; else the window of the chat.
---@return integer|nil
local function open_window()
  local current = api.nvim_get_current_win()
  local usable = vim.tbl_filter(is_usable, api.nvim_tabpage_list_wins(0))
  local free = vim.tbl_filter(function(win)
    return win ~= current
  end, usable)
  local chat = require('acp.chats').current()
  local ours = chat and chat.buf and vim.fn.bufwinid(chat.buf) or -1
  local config = { split = 'below', win = free[1] }
  if not free[1] then
    config = { split = #usable > 0 and 'above' or 'left', win = ours }
  end
  if config.win == -1 then
    return nil
  end
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  return api.nvim_open_win(buf, false, config)
end

-- The window that follows; a new one when none was chosen. Never the current one.
---@return integer|nil
local function target_window()
  if window and not api.nvim_win_is_valid(window) then
    window, is_switched_on = nil, false
    require('acp.messages').info('no longer following the agent; :AcpFollow starts again')
    return nil
  end
  if not window then
    window = open_window()
    return window
  end
  return window ~= api.nvim_get_current_win() and is_usable(window) and window or nil
end

---@param target acp.FollowTarget
local function show(target)
  local is_file = not require('acp.ui.open_file').problem_with(target.path)
    and vim.fn.isdirectory(target.path) == 0
  local win = is_file and target_window()
  if not win then
    return
  end
  local buf = require('acp.ui.open_file').buffer_of(target.path)
  local messages = vim.o.shortmess
  -- Do not ask about a swap file of another Neovim here.
  vim.opt.shortmess:append('A')
  pcall(vim.fn.bufload, buf)
  vim.o.shortmess = messages
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_win_set_buf(win, buf)
  end
  if target.line then
    local last = api.nvim_buf_line_count(buf)
    api.nvim_win_set_cursor(win, { math.max(1, math.min(target.line, last)), 0 })
    api.nvim_win_call(win, function()
      vim.cmd('normal! zvzz')
    end)
  end
end

-- Only the agent of the current chat is followed.
local function is_of_current_chat(target)
  local chat = require('acp.chats').current()
  return is_on() and chat ~= nil and chat.id == target.chat
end

--- The agent works at another position. Of many in a short time only the last one is shown.
---@param target acp.FollowTarget
function M.to(target)
  if not is_of_current_chat(target) then
    return
  end
  next_target = target
  if is_waiting then
    return
  end
  is_waiting = true
  vim.defer_fn(function()
    is_waiting = false
    local target_now = next_target
    next_target = nil
    if target_now and is_of_current_chat(target_now) then
      pcall(show, target_now)
    end
  end, pause_ms)
end

--- Starts to follow in this window, or in a separate one when this one is not for files; or stops.
function M.toggle()
  is_switched_on = not is_on()
  local current = api.nvim_get_current_win()
  window = is_switched_on and is_usable(current) and current or nil
  local where = window and 'this window follows the agent while you are in another one'
    or 'a separate window follows the agent'
  require('acp.messages').info(is_switched_on and where or 'no longer following the agent')
end

return M
