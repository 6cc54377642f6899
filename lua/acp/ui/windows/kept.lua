--- Windows that keep a buffer of ours. What a command, a picker or a jump opens in them is moved to a window of the
--- user, with the cursor. 'winfixbuf' would refuse it, and many pickers say nothing then.
local M = {}

local api = vim.api
local window_options = require('acp.ui.window_options')

---@class acp.KeptWindow
---@field buf integer
---@field is_wiped boolean its buffer is gone as soon as another one is shown
---@field view? table where the buffer was left
---@field options? table<string, any> those of the window then

---@type table<integer, acp.KeptWindow> by window
local kept = {}
---@type table<integer, acp.KeptWindow> while a session file may use the windows
local suspended = {}

---@param win integer
---@param own acp.KeptWindow
---@return boolean
local function shows_other(win, own)
  return api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) ~= own.buf
end

---@param own acp.KeptWindow
---@return boolean
local function is_alive(own)
  return own.is_wiped or (api.nvim_buf_is_valid(own.buf) and api.nvim_buf_is_loaded(own.buf))
end

---@param win integer
---@param own acp.KeptWindow
local function put_back(win, own)
  api.nvim_win_set_buf(win, own.buf)
  window_options.set(win, own.options or {})
  if own.view then
    api.nvim_win_call(win, function()
      vim.fn.winrestview(own.view)
    end)
  end
end

-- A part of the chat has a window of its own. Anything else gets one of the user.
---@param buf integer
---@param cursor integer[]
---@return integer|nil win
local function show_elsewhere(buf, cursor)
  if require('acp.ui.buffer_names').is_ours(buf) then
    return require('acp.ui.windows').find(buf)
  end
  return require('acp.ui.open_file').show(buf, cursor)
end

-- The buffer is shown elsewhere first: one with 'bufhidden' would be gone otherwise.
---@param win integer
---@param own acp.KeptWindow
local function move_out(win, own)
  local buf, cursor = api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)
  local is_current = api.nvim_get_current_win() == win
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  local target = show_elsewhere(buf, cursor)
  if own.is_wiped then
    kept[win] = nil
    pcall(api.nvim_win_close, win, true)
  else
    put_back(win, own)
  end
  if not is_current or not target then
    return
  elseif mode == 'i' or mode == 'R' then
    vim.cmd.stopinsert()
  end
  require('acp.ui.windows').go_to(target)
  if mode == 't' then
    vim.cmd.startinsert()
  end
end

--- Moves out now what was opened in windows of this tab page.
function M.check()
  -- No window can be left while the command-line window is open.
  if vim.fn.getcmdwintype() ~= '' then
    return
  end
  for _, win in ipairs(vim.tbl_keys(kept)) do
    local own = kept[win]
    if not api.nvim_win_is_valid(win) or not is_alive(own) then
      kept[win] = nil
    elseif
      shows_other(win, own) and api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage()
    then
      move_out(win, own)
    end
  end
end

local is_waiting = false

-- Later: whoever has opened the buffer goes to a line of it next, in this window.
local function check_soon()
  local is_needed = vim.iter(pairs(kept)):any(shows_other)
  if is_needed and not is_waiting then
    is_waiting = true
    vim.schedule(function()
      is_waiting = false
      M.check()
    end)
  end
end

-- The options are read before the window shows another buffer, which brings its own.
local function note()
  local win = api.nvim_get_current_win()
  local own = kept[win]
  if own and api.nvim_win_get_buf(win) == own.buf then
    own.view, own.options = vim.fn.winsaveview(), window_options.values(win)
  end
end

local function watch()
  require('acp.ui.autocommands').group_once('ui.kept_windows', function(on)
    on('BufLeave', note)
    on({ 'BufEnter', 'BufWinEnter', 'TabEnter', 'CmdwinLeave' }, check_soon)
  end)
end

--- Keeps a buffer in a window from now on.
---@param win integer
---@param buf? integer the one that it shows
function M.keep(win, buf)
  watch()
  buf = buf or api.nvim_win_get_buf(win)
  kept[win] = { buf = buf, is_wiped = vim.bo[buf].bufhidden == 'wipe' }
end

--- Keeps the buffer of a window until the window is closed. Then the buffer is gone.
---@param win integer
function M.keep_until_closed(win)
  local buf = api.nvim_win_get_buf(win)
  vim.bo[buf].bufhidden = 'hide'
  M.keep(win)
  api.nvim_create_autocmd('WinClosed', {
    pattern = tostring(win),
    once = true,
    callback = function()
      if not api.nvim_buf_is_valid(buf) then
        return
      elseif api.nvim_win_get_buf(win) == buf then
        vim.bo[buf].bufhidden = 'wipe'
      else
        api.nvim_buf_delete(buf, { force = true })
      end
    end,
  })
end

---@param win integer
---@return boolean
function M.is_kept(win)
  return kept[win] ~= nil
end

--- Lets a window show any buffer.
---@param win integer
function M.release(win)
  kept[win] = nil
end

--- Lets a session file use the windows.
function M.suspend_all()
  suspended = vim.tbl_extend('force', suspended, kept)
  kept = {}
end

--- Keeps again the windows that still show their buffer.
function M.restore()
  for win, own in pairs(suspended) do
    if api.nvim_win_is_valid(win) and not shows_other(win, own) then
      kept[win] = own
    end
  end
  suspended = {}
end

return M
