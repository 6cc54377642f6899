--- The lines that the user has selected in a window.
local M = {}

local api = vim.api
local visual_modes = { v = true, V = true, ['\22'] = true }

local function ordered(one, other)
  return { first = math.min(one, other), last = math.max(one, other) }
end

--- The lines that are selected now, or were selected last.
---@param win integer
---@return { first: integer, last: integer }|nil range, boolean is_now
function M.last(win)
  if win == api.nvim_get_current_win() and visual_modes[vim.fn.mode()] then
    return ordered(vim.fn.line('v'), vim.fn.line('.')), true
  end
  local buf = api.nvim_win_get_buf(win)
  local first, last = api.nvim_buf_get_mark(buf, '<')[1], api.nvim_buf_get_mark(buf, '>')[1]
  if first == 0 or last == 0 or last > api.nvim_buf_line_count(buf) then
    return nil, false
  end
  return ordered(first, last), false
end

-- After a selection the cursor stands at one of its ends until it is moved.
local function is_at_end(win, range)
  local buf, cursor = api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)
  local is_linewise = api.nvim_buf_call(buf, vim.fn.visualmode) == 'V'
  if is_linewise then
    return cursor[1] == range.first or cursor[1] == range.last
  end
  return vim.deep_equal(cursor, api.nvim_buf_get_mark(buf, '<'))
    or vim.deep_equal(cursor, api.nvim_buf_get_mark(buf, '>'))
end

--- The lines that the user is at: those selected, unless the cursor has been moved since.
---@param win integer
---@return { first: integer, last: integer }|nil
function M.current(win)
  local range, is_now = M.last(win)
  return range and (is_now or is_at_end(win, range)) and range or nil
end

return M
