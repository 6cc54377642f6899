--- Windows of the current tab page and their heights.
local M = {}

local api = vim.api

---@param buf integer|nil
---@return integer|nil window that shows it on this tab page
function M.find(buf)
  if not buf then
    return nil
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() then
      return win
    end
  end
end

---@type table<integer, { layout: any, height: integer }> the command line, by tab page
local command_lines = {}

-- There may be no room.
---@param height integer
local function set_command_line(height)
  vim.cmd('silent! noautocmd set cmdheight=' .. height)
end

local function note_command_line()
  for tab in pairs(command_lines) do
    if not api.nvim_tabpage_is_valid(tab) then
      command_lines[tab] = nil
    end
  end
  command_lines[api.nvim_get_current_tabpage()] =
    { layout = vim.fn.winlayout(), height = vim.o.cmdheight }
end

-- A user who changes the height moves no window.
local function check_command_line()
  local last = command_lines[api.nvim_get_current_tabpage()]
  local is_changed = last and last.height ~= vim.o.cmdheight
  if is_changed and not vim.deep_equal(last.layout, vim.fn.winlayout()) then
    set_command_line(last.height)
  end
  note_command_line()
end

-- Neovim 0.10 loses rows when a window with 'winfixheight' is alone, as ours may be. When others open and move, it
-- gives them to the command line, or takes them from it.
local function watch_command_line()
  if vim.fn.has('nvim-0.11') == 1 then
    return
  end
  require('acp.ui.autocommands').group_once('ui.command_line', function(on)
    note_command_line()
    on({ 'WinNew', 'WinClosed', 'WinResized' }, vim.schedule_wrap(check_command_line))
    on('TabEnter', note_command_line)
    on('OptionSet', function(args)
      if args.match == 'cmdheight' then
        note_command_line()
      end
    end)
  end)
end

-- Neovim 0.10 loses rows when it splits a window with 'winfixheight' that is alone, as a prompt is after |:only|, and
-- later takes them from the command line.
---@param buf integer
---@param config table as of |nvim_open_win()|
---@return boolean ok, any win_or_error as of `pcall`
local function open_window(buf, config)
  local win = config.win
  local is_fixed = win and win > 0 and vim.wo[win].winfixheight
  if is_fixed then
    vim.wo[win].winfixheight = false
  end
  local ok, opened = pcall(api.nvim_open_win, buf, false, config)
  if is_fixed and api.nvim_win_is_valid(win) then
    vim.wo[win].winfixheight = true
  end
  return ok, opened
end

--- Opens a window without going there, also if an autocommand of the user fails in it.
---@param buf integer
---@param config table as of |nvim_open_win()|
---@return integer win
function M.open(buf, config)
  watch_command_line()
  local ok, win = open_window(buf, config)
  if ok then
    return win
  end
  local opened = M.find(buf)
  if not opened then
    error(win, 0)
  end
  require('acp.messages').warn(vim.split(win, '\n')[1])
  return opened
end

--- Goes to a window, also if an autocommand of the user fails, which keeps |nvim_set_current_win()| from doing it.
---@param win integer
function M.go_to(win)
  local ok, problem = pcall(api.nvim_set_current_win, win)
  if ok then
    return
  end
  vim.cmd(('noautocmd call win_gotoid(%d)'):format(win))
  require('acp.messages').warn(vim.split(problem, '\n')[1])
end

-- Goes on from the neighbour of a closing window, which Neovim enters.
---@param before integer
local function lead_back(before)
  api.nvim_create_autocmd('WinEnter', {
    once = true,
    -- The autocommands of the window that it goes to run too.
    nested = true,
    -- At once: the next key may have been typed already.
    callback = function()
      if api.nvim_win_is_valid(before) then
        M.go_to(before)
      end
    end,
  })
end

--- Goes back to the window where the user was when a window is closed. Neovim would go to its neighbour.
---@param win integer
function M.return_on_close(win)
  api.nvim_create_autocmd('WinClosed', {
    pattern = tostring(win),
    once = true,
    callback = function()
      local before = vim.fn.win_getid(vim.fn.winnr('#'))
      if api.nvim_get_current_win() ~= win or before == win then
        return
      end
      lead_back(before)
    end,
  })
end

--- Opens a window at an edge of the screen and goes there; in a tab page of its own if there is no room. Closing it
--- leads back.
---@param buf integer
---@param split 'above'|'below'
---@param height? integer
---@return integer win
function M.open_at_edge(buf, split, height)
  watch_command_line()
  local config = { split = split, win = -1, height = height }
  local ok, win = pcall(api.nvim_open_win, buf, true, config)
  if not ok then
    vim.cmd('tab sbuffer ' .. buf)
    win = api.nvim_get_current_win()
  elseif height then
    -- Neovim 0.10 makes it higher if a window with 'winfixheight' is current.
    M.set_height(win, height)
  end
  M.return_on_close(win)
  return win
end

---@param node any a part of |winlayout()|
---@param win integer
---@param is_stacked boolean
---@return boolean
local function has_neighbour(node, win, is_stacked)
  local kind, content = unpack(node)
  if kind == 'leaf' then
    return content == win and is_stacked
  end
  return vim.iter(content):any(function(child)
    return has_neighbour(child, win, is_stacked or kind == 'col')
  end)
end

--- Sets the height of a window, if there is a window above or below it. Without one Neovim would give the rest of the
--- height to the command line.
---@param win integer
---@param height integer
function M.set_height(win, height)
  local tab = api.nvim_tabpage_get_number(api.nvim_win_get_tabpage(win))
  local is_new = api.nvim_win_get_height(win) ~= height
  if is_new and has_neighbour(vim.fn.winlayout(tab), win, false) then
    api.nvim_win_set_height(win, height)
  end
end

--- Changes windows without changing the height of the command line. Neovim 0.10 loses rows when it splits and moves
--- windows, and gives them to the command line later.
---@param change fun()
function M.keep_command_line(change)
  local height = vim.o.cmdheight
  change()
  if vim.o.cmdheight ~= height then
    set_command_line(height)
  end
end

---@param node any a part of |winlayout()|
---@param above integer
---@param below integer
---@return boolean whether a window is directly above another one
local function is_directly_above(node, above, below)
  local kind, content = unpack(node)
  if kind == 'leaf' then
    return false
  end
  for index, child in ipairs(content) do
    local next_child = content[index + 1] or {}
    if kind == 'col' and child[2] == above and next_child[2] == below then
      return true
    elseif is_directly_above(child, above, below) then
      return true
    end
  end
  return false
end

--- Moves the border between two windows so that one of them gets a height. No other window changes: the user may have
--- moved windows of theirs between or beside ours.
---@param above integer
---@param below integer
---@param wanted { above?: integer, below?: integer } the height of one of them
function M.move_border(above, below, wanted)
  local offset = wanted.above and wanted.above - api.nvim_win_get_height(above)
    or api.nvim_win_get_height(below) - wanted.below
  local tab = api.nvim_tabpage_get_number(api.nvim_win_get_tabpage(above))
  if offset == 0 or not is_directly_above(vim.fn.winlayout(tab), above, below) then
    return
  end
  local function surplus(win)
    return api.nvim_win_get_height(win) - 1 - vim.fn.getwininfo(win)[1].winbar
  end
  offset = math.max(-surplus(above), math.min(offset, surplus(below)))
  if offset == 0 then
    return
  end
  M.keep_command_line(function()
    vim.fn.win_move_statusline(above, offset)
  end)
end

--- Sets the filetype of a buffer a moment later: searching for its plugins must not delay the windows.
---@param buf integer
---@param filetype string
function M.set_filetype(buf, filetype)
  vim.schedule(function()
    if api.nvim_buf_is_valid(buf) then
      vim.bo[buf].filetype = filetype
    end
  end)
end

return M
