--- The conflicts in a text with markers: finding them and taking a side.
local M = {}

local api = vim.api

local first, middle, last =
  '^<<<<<<< yours · conflict %d+$', '^======= conflict %d+$', '^>>>>>>> theirs · conflict %d+$'

--- Finds the unresolved conflicts that touch some rows, the last first.
---@param buf integer
---@param from integer row, 1-based
---@param to integer
---@return { top: integer, middle: integer, bottom: integer }[] rows of their markers, 1-based
function M.find(buf, from, to)
  local found, current = {}, {}
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if line:find(first) then
      current = { top = row }
    elseif line:find(middle) then
      current.middle = row
    elseif line:find(last) and current.top and current.middle then
      current.bottom = row
      if current.top <= to and row >= from then
        table.insert(found, 1, current)
      end
      current = {}
    end
  end
  return found
end

---@param buf integer
---@return integer number of unresolved conflicts
function M.count(buf)
  return #M.find(buf, 1, math.huge)
end

---@param side 'mine'|'theirs'|'both'
local function replace(buf, conflict, side)
  local function lines(from, to)
    return api.nvim_buf_get_lines(buf, from, to - 1, false)
  end
  local mine = lines(conflict.top, conflict.middle)
  local theirs = lines(conflict.middle, conflict.bottom)
  local taken = side == 'mine' and mine
    or side == 'theirs' and theirs
    or vim.list_extend(mine, theirs)
  api.nvim_buf_set_lines(buf, conflict.top - 1, conflict.bottom, false, taken)
end

--- Takes a side of the conflict under the cursor, or of all that are selected.
---@param buf integer
---@param side 'mine'|'theirs'|'both'
function M.take_under_cursor(buf, side)
  local from, to = vim.fn.line('v'), vim.fn.line('.')
  local found = M.find(buf, math.min(from, to), math.max(from, to))
  for _, conflict in ipairs(found) do
    replace(buf, conflict, side)
  end
  if api.nvim_get_mode().mode:find('^[vV\22]') then
    api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
  end
  if #found == 0 then
    require('acp.messages').warn('no conflict under the cursor; ]x goes to the next one')
  end
  vim.cmd.diffupdate()
end

--- Goes to another conflict of the current buffer.
---@param flags string of |search()|
function M.jump(flags)
  local left = vim.v.count1
  while left > 0 and vim.fn.search('^<<<<<<< yours · conflict', flags .. 'W') > 0 do
    left = left - 1
  end
end

return M
