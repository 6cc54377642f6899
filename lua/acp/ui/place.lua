--- Where the user is: window, mode, cursor and selection. For what opens on top of that for a moment.
local M = {}

local api = vim.api

---@class acp.Place
---@field win integer
---@field buf integer
---@field mode 'n'|'i'|'R'|'x'|'s'|'t'
---@field cursor integer[]

---@return 'n'|'i'|'R'|'x'|'t'
local function mode()
  local name = api.nvim_get_mode().mode
  if name:find('^[iR]') then
    return name:sub(1, 1)
  elseif name:find('^[vVsS\22\19]') then
    return 'x'
  end
  return name == 't' and 't' or 'n'
end

-- In Select mode a mapping runs in Visual mode, and Neovim starts Select mode again after it.
---@param place acp.Place
local function leave_select_mode(place)
  if api.nvim_get_mode().mode:find('^[sS\19]') then
    place.mode = 's'
    api.nvim_feedkeys(vim.keycode('<Esc>'), 'n', false)
  end
end

--- Leaves the mode for Normal mode. Returns the place, for `restore`.
---@return acp.Place
function M.leave()
  local win = api.nvim_get_current_win()
  local place = {
    win = win,
    buf = api.nvim_win_get_buf(win),
    mode = mode(),
    cursor = api.nvim_win_get_cursor(win),
  }
  if vim.list_contains({ 'i', 'R', 't' }, place.mode) then
    vim.cmd.stopinsert()
  elseif place.mode == 'x' then
    vim.cmd.normal({ vim.keycode('<Esc>'), bang = true })
    vim.schedule(function()
      leave_select_mode(place)
    end)
  end
  return place
end

local function continue_insert(place)
  local line = api.nvim_buf_get_lines(place.buf, place.cursor[1] - 1, place.cursor[1], false)[1]
  local start = place.mode == 'R' and vim.cmd.startreplace or vim.cmd.startinsert
  if not line then
    return start()
  end
  local is_at_end = place.cursor[2] >= #line
  api.nvim_win_set_cursor(place.win, { place.cursor[1], math.min(place.cursor[2], #line) })
  start({ bang = is_at_end })
end

--- Goes on where the user was, unless the user is elsewhere by now.
---@param place acp.Place
function M.restore(place)
  local is_here = api.nvim_get_current_win() == place.win
    and api.nvim_win_get_buf(place.win) == place.buf
  if not is_here or api.nvim_get_mode().mode:sub(1, 1) ~= 'n' then
    return
  end
  if place.mode == 'i' or place.mode == 'R' then
    continue_insert(place)
  elseif place.mode == 't' then
    vim.cmd.startinsert()
  elseif place.mode == 'x' then
    vim.cmd.normal({ 'gv', bang = true })
  elseif place.mode == 's' then
    vim.cmd.normal({ vim.keycode('gv<C-g>'), bang = true })
  end
end

return M
