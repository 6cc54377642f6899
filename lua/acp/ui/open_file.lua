--- Opens files that the user goes to from a chat, in a window that is not ours.
local M = {}

local api = vim.api

---@param win integer
---@return boolean
local function is_of_user(win)
  return api.nvim_win_get_config(win).relative == ''
    and not vim.wo[win].winfixbuf
    and not vim.wo[win].previewwindow
    and not require('acp.ui.windows.kept').is_kept(win)
end

---@param buf integer
---@return boolean
local function is_kept_when_hidden(buf)
  local hides = vim.bo[buf].bufhidden
  return hides == 'hide' or hides == '' and vim.o.hidden
end

---@param win integer
---@return boolean
local function is_suitable(win)
  local bo = vim.bo[api.nvim_win_get_buf(win)]
  return is_of_user(win) and bo.buftype == '' and (vim.o.hidden or not bo.modified)
end

-- A dashboard or the listing of a folder stands where a file would. A list at an edge has a fixed size.
---@param win integer
---@return boolean
local function gives_way(win)
  local buf = api.nvim_win_get_buf(win)
  if require('acp.ui.buffer_names').is_ours(buf) then
    return false
  end
  local is_fixed = vim.wo[win].winfixwidth or vim.wo[win].winfixheight
  local is_listing = vim.list_contains({ 'nofile', 'acwrite' }, vim.bo[buf].buftype)
  return is_listing and not is_fixed and (is_kept_when_hidden(buf) or not vim.bo[buf].modifiable)
end

---@param wins integer[]
---@return integer|nil
local function only_one(wins)
  local of_user = vim.tbl_filter(is_of_user, wins)
  return #of_user == 1 and gives_way(of_user[1]) and of_user[1] or nil
end

-- A window of this tab page that may show another file: the previous one, else the first.
---@return integer|nil
local function find_window()
  local before = vim.fn.win_getid(vim.fn.winnr('#'))
  if before ~= 0 and is_suitable(before) then
    return before
  end
  local wins = api.nvim_tabpage_list_wins(0)
  return vim.tbl_filter(is_suitable, wins)[1] or only_one(wins)
end

local function is_open(path)
  return vim.iter(api.nvim_list_bufs()):any(function(buf)
    return api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_name(buf) == path
  end)
end

-- Cut at the beginning, because the end is more telling and a message has one line.
local function display_name(path)
  local name = path:gsub('%c', '?')
  local surplus = vim.fn.strchars(name) - 60
  return surplus > 0 and '…' .. vim.fn.strcharpart(name, surplus) or name
end

--- Whether a path is a pipe, a device or a socket. Opening a pipe would block Neovim until somebody writes to it.
---@param path string
---@return boolean
function M.is_special(path)
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil and stat.type ~= 'file' and stat.type ~= 'directory'
end

--- Why a path cannot be shown.
---@param path string
---@return string|nil
function M.problem_with(path)
  if not vim.uv.fs_stat(path) then
    return not is_open(path) and ('file not found: %s'):format(display_name(path)) or nil
  elseif M.is_special(path) then
    return ('%s is not a regular file'):format(display_name(path))
  end
end

--- The buffer of a file. Its number is safer than its name, which most commands treat as a pattern. A new buffer gets
--- a name relative to the current folder.
---@param path string
---@return integer
function M.buffer_of(path)
  local name = vim.fn.fnamemodify(path, ':.')
  -- Neovim would run what is behind `term://`, which may also be a folder called `term:`.
  local is_address = require('acp.ui.mappings.file_keys').is_address(name)
  local needs_full_path = is_address or name:find('^~') or vim.fn.isdirectory(path) == 1
  local buf = vim.fn.bufadd(needs_full_path and path or name)
  vim.bo[buf].buflisted = true
  return buf
end

-- A list of fixed width that fills what the chat leaves, because the window of code was closed.
---@param win integer
---@return boolean
local function is_wide_list(win)
  local is_wide = api.nvim_win_get_width(win) > vim.o.columns / 3
  return is_wide and is_of_user(win) and vim.wo[win].winfixwidth
end

-- Opens a window. Next to such a list it would have a few columns.
---@param open fun(): integer
---@return integer win
local function open_with_room(open)
  local lists = vim.tbl_filter(is_wide_list, api.nvim_tabpage_list_wins(0))
  local win = open()
  for _, list in ipairs(lists) do
    api.nvim_win_set_width(list, math.floor(vim.o.columns / 4))
  end
  return win
end

-- Goes to a window that may show another file.
local function go_to_window()
  local win = find_window()
  if win then
    return api.nvim_set_current_win(win)
  end
  open_with_room(function()
    vim.cmd('topleft vnew')
    return api.nvim_get_current_win()
  end)
end

--- Shows a buffer in a window that may show another file, without going there.
---@param buf integer
---@param cursor integer[]
---@return integer win
function M.show(buf, cursor)
  local win = find_window()
    or open_with_room(function()
      return api.nvim_open_win(buf, false, { split = 'left', win = -1 })
    end)
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_win_set_buf(win, buf)
  end
  api.nvim_win_call(win, function()
    vim.cmd("normal! m'")
    pcall(api.nvim_win_set_cursor, win, cursor)
    vim.cmd('normal! zv')
    if vim.fn.line('.') > vim.fn.winheight(0) then
      vim.cmd('normal! zz')
    end
  end)
  return win
end

--- Opens a window with an empty buffer above one of the user, and goes there; on a tab page of its own if there is no
--- room.
function M.open_window()
  local is_ours = require('acp.ui.buffer_names').is_ours(api.nvim_get_current_buf())
  local command = is_ours and not find_window() and 'topleft vnew' or 'new'
  if is_ours and find_window() then
    go_to_window()
  end
  if not pcall(vim.cmd, command) then
    vim.cmd.tabnew()
  end
end

--- Opens a file at a line and a column, never in a window of ours, and goes there.
---@param place { path: string, line?: integer, column?: integer }
function M.open(place)
  local problem = M.problem_with(place.path)
  if problem then
    return require('acp.messages').warn(problem)
  end
  go_to_window()
  local buf = M.buffer_of(place.path)
  if api.nvim_get_current_buf() ~= buf then
    vim.cmd.buffer(buf)
  end
  if place.line then
    local last = api.nvim_buf_line_count(0)
    vim.cmd("normal! m'")
    local column = math.max(0, (place.column or 1) - 1)
    api.nvim_win_set_cursor(0, { math.max(1, math.min(place.line, last)), column })
    vim.cmd('normal! zvzz')
  end
end

return M
